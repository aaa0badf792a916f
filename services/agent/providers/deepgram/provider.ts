import type { Provider } from '../provider.ts';

export const deepgram: Provider = {
  name: 'deepgram',
  key: 'DEEPGRAM_API_KEY',
  region: 'us',
  speech: {
    names: {
      plugin: '@livekit/agents-plugin-deepgram',
      recognition: { file: 'models', types: ['STTModels', 'V2Models'] },
      synthesis: { file: 'models', types: ['TTSModels'] },
      // Each of its voices is a model.
      voices: { file: 'models', types: ['TTSModels'] },
    },
    docs: {
      recognition: '`nova-3`, as the person speaks; `keywords` as key terms',
      voices: '`aura-2-…-de` (they name their language)',
    },
    load: () => import('./speech.ts'),
  },
};
