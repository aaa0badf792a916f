import { Logger as JobLogger, type Runner, run, type TaskList } from 'graphile-worker';
import { bestEffort } from '../../process/best-effort.ts';
import type { Logger } from '../../process/logger.ts';
import { sleepOrStop } from '../../process/sleep.ts';
import { openJobConnections } from '../../store/job-pool.ts';
import type { PoolLocks } from './pool-locks.ts';

export interface JobPoolOptions {
  name: string;
  /** Past a pooler: graphile-worker listens, and its migrations are told to all its connections. */
  directUrl: string;
  /** Jobs at once. */
  concurrency: number;
  tasks: TaskList;
}

export interface JobPool {
  /** Takes no further job; resolves when those under way are over. */
  stop(): Promise<void>;
}

const pollMs = 2_000;
const restartMs = 1_000;

/**
 * Runs jobs in a pool of their own. When graphile-worker gives up (it could not write down that a job is done), the pool is
 * started again under a new name, and what it had taken is found by the sweep.
 */
export function startJobPool({ log, locks }: { log: Logger; locks: PoolLocks }, options: JobPoolOptions): JobPool {
  const stopping = new AbortController();
  let runner: Runner | undefined;
  const keepRunning = async () => {
    while (!stopping.signal.aborted) {
      try {
        const pools: string[] = [];
        const connections = openJobConnections(options.directUrl, {
          // As many as there are jobs, which graphile-worker wants; they are opened when they are needed.
          max: options.concurrency,
          applicationName: `parley-worker-${options.name}`,
        });
        try {
          runner = await startRunner({ log, locks }, options, connections, pools);
          if (stopping.signal.aborted) await runner.stop();
          await runner.promise;
        } finally {
          runner = undefined;
          await bestEffort('they may be gone already', connections.end());
          for (const pool of pools) await locks.letGo(pool);
        }
      } catch (err) {
        log.warn({ err, pool: options.name }, 'the job pool could not run; starting it again');
      }
      await sleepOrStop(restartMs, stopping.signal);
    }
  };
  const over = keepRunning();
  return {
    stop: async () => {
      stopping.abort();
      await bestEffort('it may have ended by itself', runner?.stop());
      await over;
    },
  };
}

function startRunner(
  { log, locks }: { log: Logger; locks: PoolLocks },
  { name, concurrency, tasks }: JobPoolOptions,
  pgPool: ReturnType<typeof openJobConnections>,
  pools: string[],
): Promise<Runner> {
  return run({
    pgPool,
    concurrency,
    taskList: tasks,
    noHandleSignals: true,
    pollInterval: pollMs,
    logger: jobLogger(log, name),
    preset: {
      // Otherwise a failure to write down what came of a job would be a rejection that nobody handles.
      worker: { completeJobBatchDelay: 0, failJobBatchDelay: 0 },
      plugins: [
        {
          name: 'parley-pool-locks',
          version: '1.0.0',
          worker: {
            hooks: {
              // Runs before a runner takes its first job, and that job waits for it.
              startWorker: async (_info, { worker }) => {
                const pool = worker.workerPool.id;
                if (!pools.includes(pool)) pools.push(pool);
                await locks.hold(pool);
              },
            },
          },
        },
      ],
    },
  });
}

/** Its texts hold ids and faults of ours, never what people said: job payloads carry ids only. */
const jobLogger = (log: Logger, pool: string) =>
  new JobLogger(() => (level, message) => {
    const fields = { pool, says: message.slice(0, 500) };
    if (level === 'error' || level === 'warning') log.warn(fields, 'from the job pool');
    else log.debug(fields, 'from the job pool');
  });
