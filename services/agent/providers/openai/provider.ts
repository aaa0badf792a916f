import type { Provider } from '../provider.ts';

const plugin = '@livekit/agents-plugin-openai';

/** OpenAI, and by `baseUrl` every server that speaks its protocols. */
export const openai: Provider = {
  name: 'openai',
  key: 'OPENAI_API_KEY',
  region: 'us',
  endpoint: 'https://api.openai.com/v1',
  hosts: { 'api.openai.com': 'us', 'eu.api.openai.com': 'eu' },
  speech: {
    names: {
      plugin,
      recognition: { file: 'models', types: ['STTModels'] },
      synthesis: { file: 'models', types: ['TTSModels'] },
      voices: { file: 'models', types: ['TTSVoices'] },
    },
    docs: { recognition: '`gpt-4o-mini-transcribe`, each utterance when it is over', voices: '`alloy`, `coral`, …' },
    load: () => import('./speech.ts'),
  },
  model: {
    names: { plugin, names: { file: 'models', types: ['ChatModels'] } },
    usual: 'gpt-4.1-mini',
    protocol: 'chat-completions',
    load: () => import('./model.ts'),
  },
  realtime: { load: () => import('./realtime.ts') },
};
