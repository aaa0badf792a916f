import type { Provider } from '../provider.ts';

export const elevenlabs: Provider = {
  name: 'elevenlabs',
  key: 'ELEVEN_API_KEY',
  region: 'us',
  speech: {
    names: {
      plugin: '@livekit/agents-plugin-elevenlabs',
      recognition: { file: 'stt', types: ['ElevenLabsSTTModels'] },
      synthesis: { file: 'models', types: ['TTSModels'] },
    },
    docs: { recognition: '`scribe_v2_realtime`, as the person speaks', voices: "a voice's id" },
    load: () => import('./speech.ts'),
  },
};
