import type { Target } from '../target.ts';
import { costOf } from './cost.ts';
import { facts } from './facts.ts';
import { partsOf } from './parts.ts';
import { planAws } from './plan.ts';
import { rules } from './rules.ts';

/** EKS, RDS, ElastiCache and load balancers: a foundation of the tenant's own, or another stack's. */
export const aws: Target = {
  rules,
  facts,
  finish(plan) {
    const own = planAws(plan);
    return {
      cost: costOf(plan, own),
      backups: own.foundation ? { instance: own.foundation.names.database } : {},
      parts: (folders) => partsOf(plan, own, folders),
      async make(name, folders) {
        // Loaded where it is made only: the provider's package takes seconds, and a plan needs none of it.
        const [{ AwsTenant }, { foundationOutputs }, { attended }] = await Promise.all([
          import('./tenant.ts'),
          import('./foundation.ts'),
          import('./attended.ts'),
        ]);
        const { tenant, serving } = attended(plan, own, () => new AwsTenant(name, { plan, aws: own, folders }));
        const { foundation, kubeconfig, keys } = tenant;
        return {
          // It holds no secret: a token is asked for by the AWS CLI, as whoever uses it.
          kubeconfig,
          keys,
          ...(serving && { serving }),
          // For tenants that share this stack's network and cluster.
          ...(foundation && { foundation: foundationOutputs(foundation) }),
        };
      },
    };
  },
};
