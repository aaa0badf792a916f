import type { Task, TaskList } from 'graphile-worker';
import { type ChangeDeps, performChange } from '../../core/agents/perform-change.ts';
import { type CommitStatusDeps, publishCommitStatus } from '../../core/agents/publish-commit-status.ts';
import { deliverDue, type QueueDeps, wakeQueueOf } from '../../core/deliveries/queue.ts';
import { type FinishDeps, finishSession } from '../../core/finish/finish.ts';
import { hashPrefix } from '../../core/sessions/ids.ts';
import { dialPrepared, type PlaceDeps, type Prepared, prepareCall } from '../../core/telephony/outbound/place.ts';
import type { Logger } from '../../process/logger.ts';
import { within } from '../../process/within.ts';
import type { Jobs } from '../../store/tables/jobs.ts';
import { type AskedRunDeps, runAsked } from '../agents/run-asked.ts';
import type { WorkerMetrics } from '../metrics.ts';

export interface TaskDeps {
  log: Logger;
  metrics: Pick<WorkerMetrics, 'jobs' | 'deliveries' | 'commitStatuses'>;
}

/** Host, room server, model (20 s) and a few queries, each with a deadline of its own below this one. */
const finishDeadlineMs = 90_000;
/** The time in which deliveries are begun (10 s), one request (15 s) and a few queries. */
const deliverDeadlineMs = 60_000;
/** One request (10 s) and two queries. */
const statusDeadlineMs = 30_000;

/** A few commands of git, each with a deadline of its own (60 s), of which a repository that hangs reaches the first. */
const changeDeadlineMs = 150_000;

/** Beyond what the scenarios may take: another run that is waited for, and three attempts at starting their process. */
const askedMarginMs = 60_000;

/** An agent that joins (20 s), and a few queries. */
const callDeadlineMs = 60_000;

/** A job of a call is done once it is dialled: a telephone may ring for a minute, and who dies meanwhile is not waited for. */
export function callTasks(deps: TaskDeps & PlaceDeps): TaskList {
  const dial = async (prepared: Prepared) => {
    const call = hashPrefix(prepared.call.id);
    try {
      deps.log.info({ call, result: await dialPrepared(deps, prepared) }, 'a call was dialled');
    } catch (err) {
      deps.log.warn({ err, call }, 'what came of a call could not be stored: its room tells');
    }
  };
  return {
    place_call: task(deps, 'place_call', callDeadlineMs, async ({ tenant, call }) => {
      const prepared = await prepareCall(deps, { tenant, call });
      if (typeof prepared === 'string') return prepared;
      void dial(prepared);
      return 'dialled';
    }),
  };
}

export function finishTasks(deps: TaskDeps & FinishDeps): TaskList {
  return {
    finish_session: task(deps, 'finish_session', finishDeadlineMs, async ({ tenant, session }) => {
      const result = await finishSession(deps, { tenant, session });
      deps.log.info({ session: hashPrefix(session), result }, 'a session was finished');
      return result;
    }),
  };
}

/** What is sent to others: webhooks, commit statuses, and commits. */
export function deliveryTasks(deps: TaskDeps & QueueDeps & CommitStatusDeps & ChangeDeps): TaskList {
  return {
    change_agent: task(deps, 'change_agent', changeDeadlineMs, async (change) => {
      const result = await performChange(deps, change);
      deps.log.info({ change: change.change, result }, "a change of an agent's file was taken up");
      return result;
    }),
    post_commit_status: task(deps, 'post_commit_status', statusDeadlineMs, async ({ tenant, revision }) => {
      const result = await publishCommitStatus(deps, { tenant, revision });
      deps.metrics.commitStatuses.inc({ result });
      deps.log.info({ revision, result }, 'the Git host was told of a revision');
      return result;
    }),
    deliver_webhooks: task(deps, 'deliver_webhooks', deliverDeadlineMs, (agent) =>
      deliverDue(deps, agent, (delivery, result) => {
        deps.metrics.deliveries.inc({ result });
        deps.log.info({ delivery, result }, 'a delivery was attempted');
      }),
    ),
    deliver_webhook: task(deps, 'deliver_webhook', deliverDeadlineMs, (delivery) => wakeQueueOf(deps, delivery)),
  };
}

/** What people ask of the agents' scenarios. */
export function scenarioTasks(deps: TaskDeps & { asked: AskedRunDeps }): TaskList {
  return {
    run_scenarios: task(deps, 'run_scenarios', deps.asked.settings.deadlineMs + askedMarginMs, async (which) => {
      const result = await runAsked(deps.asked, which);
      deps.log.info({ agent: which.agent, result }, 'scenarios were run because somebody asked for it');
      return result;
    }),
  };
}

/** A job that hangs is given up and tried again; it must not keep a place in the pool for ever. */
function task<Name extends keyof Jobs>(
  { log, metrics }: TaskDeps,
  name: Name,
  deadlineMs: number,
  work: (payload: Jobs[Name]) => Promise<string>,
): Task {
  return async (payload) => {
    try {
      const result = await within(deadlineMs, name, work(payload as Jobs[Name]));
      metrics.jobs.inc({ task: name, result });
    } catch (err) {
      metrics.jobs.inc({ task: name, result: 'failed' });
      log.warn({ err, task: name }, 'a job failed and is tried again');
      throw err;
    }
  };
}
