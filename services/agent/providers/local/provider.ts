import type { Provider } from '../provider.ts';

/** Programs of the machine that the agent host runs on. */
export const local: Provider = {
  name: 'local',
  region: 'here',
  speech: {
    docs: { recognition: 'see below', voices: 'names of espeak-ng: `de`, `en-us+f3`' },
    load: () => import('./speech.ts'),
  },
};
