import type { Tenant } from '../tenant.ts';
import { isRedundant, totalSessions } from './agents.ts';
import { stopSeconds } from './measured.ts';
import type { Resources } from './resources.ts';

export interface ServicePlan {
  replicas: number;
  resources: Resources;
  /** How long a pod goes on serving after it was told to stop, until everybody knows; 0 where nobody calls it. */
  preStopSeconds: number;
  graceSeconds: number;
}

/** One replica opens some thousand sessions a second; this many live ones ask for another. */
const sessionsPerApi = 5_000;
const preStopSeconds = 5;

export function planApi({ capacity }: Tenant): ServicePlan {
  const atLeast = isRedundant(capacity) ? 2 : 1;
  return {
    replicas: Math.max(atLeast, Math.ceil(totalSessions(capacity) / sessionsPerApi) + atLeast - 1),
    resources: { cpuMilli: 200, cpuLimitMilli: 2_000, memoryMib: 256, memoryLimitMib: 512 },
    preStopSeconds,
    graceSeconds: preStopSeconds + stopSeconds.api,
  };
}

/** What programs outside send to the worker, each signed with a secret of its own; nothing else of it is reached from there. */
export const signedPaths = ({ agents }: Tenant): string[] => [
  ...(agents.pushSecret === undefined ? [] : ['/push-events']),
  ...(agents.passesSecret === undefined ? [] : ['/scenario-passes']),
];

/** Its memory holds the process that runs scenarios, too. */
export function planWorker(tenant: Tenant): ServicePlan {
  const preStop = signedPaths(tenant).length > 0 ? preStopSeconds : 0;
  return {
    replicas: isRedundant(tenant.capacity) ? 2 : 1,
    resources: { cpuMilli: 200, cpuLimitMilli: 2_000, memoryMib: 512, memoryLimitMib: 1_024 },
    preStopSeconds: preStop,
    graceSeconds: preStop + stopSeconds.worker,
  };
}
