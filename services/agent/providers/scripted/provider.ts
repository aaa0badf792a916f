import type { Provider } from '../provider.ts';

/** Rules in the agent's own file instead of a network. */
export const scripted: Provider = {
  name: 'scripted',
  region: 'here',
  model: { needsScript: true, load: () => import('./model.ts') },
};
