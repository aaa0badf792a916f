import type { Target } from '../target.ts';
import { facts } from './facts.ts';
import { partsOf } from './parts.ts';
import { rules } from './rules.ts';
import { keepWithinOneServer } from './server-sizes.ts';

/** The cluster that the kubeconfig names, with everything of the tenant inside of it. */
export const kubernetes: Target = {
  rules,
  facts,
  finish(plan) {
    keepWithinOneServer(plan);
    return {
      cost: undefined,
      backups: {},
      parts: (folders) => partsOf(plan, folders),
      async make(name, folders) {
        // Loaded where it is made only: a stack waits for no provider of another target, and a plan for none.
        const [{ KubernetesTenant }, { attended }] = await Promise.all([
          import('./tenant.ts'),
          import('./attended.ts'),
        ]);
        return attended(plan, () => new KubernetesTenant(name, { plan, folders }));
      },
    };
  },
};
