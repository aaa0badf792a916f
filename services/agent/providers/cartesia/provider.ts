import type { Provider } from '../provider.ts';

export const cartesia: Provider = {
  name: 'cartesia',
  key: 'CARTESIA_API_KEY',
  region: 'us',
  speech: {
    names: {
      plugin: '@livekit/agents-plugin-cartesia',
      recognition: { file: 'models', types: ['STTModel'] },
      synthesis: { file: 'models', types: ['TTSModels'] },
    },
    docs: { recognition: '`ink-2`, in other languages `ink-whisper`; no keywords', voices: "a voice's id" },
    load: () => import('./speech.ts'),
  },
};
