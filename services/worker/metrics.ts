import { Counter, Gauge, Registry } from '@prometheus-io/client';
import { collectProcessMetrics } from '../process/metrics.ts';
import type { Database } from '../store/database.ts';

export interface WorkerMetrics {
  registry: Registry;
  /** 1 while the files have faults and the last good revision is live. */
  revisionRefused: Gauge;
  agents: Gauge;
  /** Agents that stay as they were because a scenario of theirs fails; with PARLEY_ACTIVATION=by-agent only. */
  agentsHeldBack: Gauge;
  /** Agents whose live version does not pass their scenarios as they are now. */
  agentsFailingScenarios: Gauge;
  /** 1 while the repository of the agents can't be read. */
  sourceUnreadable: Gauge;
  revisions: Counter<'outcome'>;
  sessionsEnded: Counter<'reason'>;
  reconciled: Counter<'result'>;
  jobs: Counter<'task' | 'result'>;
  deliveries: Counter<'result'>;
  commitStatuses: Counter<'result'>;
  sessionsDeleted: Counter;
  unlocked: Counter;
}

export function makeMetrics(db: Pick<Database, 'load'>): WorkerMetrics {
  const registry = new Registry();
  const registers = [registry];
  collectProcessMetrics(registry, db);
  return {
    registry,
    revisionRefused: new Gauge({
      name: 'parley_agents_revision_refused',
      help: '1 while the agents in the source have faults and the last good revision is live',
      registers,
    }),
    agentsHeldBack: new Gauge({
      name: 'parley_agents_held_back',
      help: 'Agents of the live revision that a failing scenario keeps at an earlier version, or from going live',
      registers,
    }),
    agentsFailingScenarios: new Gauge({
      name: 'parley_agents_failing_scenarios',
      help: 'Agents whose live version does not pass their scenarios as they are now',
      registers,
    }),
    agents: new Gauge({ name: 'parley_agents', help: 'Agents of the revision that was looked at last', registers }),
    sourceUnreadable: new Gauge({
      name: 'parley_agents_source_unreadable',
      help: '1 while the repository of the agents cannot be read and the last good revision is live',
      registers,
    }),
    revisions: new Counter({
      name: 'parley_agents_revisions_total',
      help: 'Revisions of agents that this worker judged, by what came of them',
      labelNames: ['outcome'],
      registers,
    }),
    sessionsEnded: new Counter({
      name: 'parley_reaped_sessions_total',
      help: 'Sessions that the worker ended, by reason',
      labelNames: ['reason'],
      registers,
    }),
    reconciled: new Counter({
      name: 'parley_reconciler_corrections_total',
      help: "Differences between our presence and the room server's, by what was done",
      labelNames: ['result'],
      registers,
    }),
    jobs: new Counter({
      name: 'parley_jobs_total',
      help: 'Runs of jobs, by task and what came of them',
      labelNames: ['task', 'result'],
      registers,
    }),
    deliveries: new Counter({
      name: 'parley_webhook_attempts_total',
      help: 'Attempts to deliver a webhook, by what came of them',
      labelNames: ['result'],
      registers,
    }),
    commitStatuses: new Counter({
      name: 'parley_commit_statuses_total',
      help: 'Attempts to tell the Git host what came of a revision, by what came of them',
      labelNames: ['result'],
      registers,
    }),
    sessionsDeleted: new Counter({
      name: 'parley_sessions_deleted_total',
      help: 'Sessions deleted because their retention was over',
      registers,
    }),
    unlocked: new Counter({
      name: 'parley_job_pools_unlocked_total',
      help: 'Dead job pools whose jobs were given free',
      registers,
    }),
  };
}
