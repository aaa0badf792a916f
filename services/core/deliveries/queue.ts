import { sleepOrStop } from '../../process/sleep.ts';
import type { Tx } from '../../store/database.ts';
import {
  type DeliveryRow,
  findDelivery,
  listDueDeliveries,
  locateOverdue,
  nextDueDelivery,
} from '../../store/tables/deliveries.ts';
import { addJob, type JobOptions } from '../../store/tables/jobs.ts';
import { type DeliverDeps, type DeliverResult, type DeliveryId, deliver } from './deliver.ts';

/** The deliveries of one agent, which all go to one receiver. */
export interface DeliveryQueue {
  tenant: string;
  agent: string;
}

export interface QueueDeps extends DeliverDeps {
  /** Nothing further is begun once it fires. */
  signal: AbortSignal;
}

/** What is told of each attempt. */
export type OnAttempt = (delivery: string, result: DeliverResult) => void;

/** So many of an agent's deliveries are under way at once. */
const mostAtOnce = 5;
/** An agent with a backlog makes room for others after this. */
const jobMs = 10_000;
/** A delivery that becomes due while others are under way is begun within this. */
const lookAgainMs = 1_000;

/**
 * What waits is in the table; on the list of jobs stands one job an agent, however much that is. Jobs of one agent run one
 * after another, so that no two workers send the same.
 */
const addQueueJob = (tx: Tx, { tenant, agent }: DeliveryQueue, options: Omit<JobOptions, 'key' | 'queue'>) => {
  const name = `deliver ${tenant} ${agent}`;
  return addJob(tx, 'deliver_webhooks', { tenant, agent }, { ...options, key: name, queue: name });
};

/** Has the queue of a delivery looked at as soon as possible. */
export const putOnList = (tx: Tx, { tenant_id: tenant, agent }: Pick<DeliveryRow, 'tenant_id' | 'agent'>) =>
  addQueueJob(tx, { tenant, agent }, {});

/** For a job of one delivery. */
export async function wakeQueueOf(
  { db }: Pick<DeliverDeps, 'db'>,
  { tenant, delivery }: DeliveryId,
): Promise<'woken' | 'nothing_to_do'> {
  return db.asTenant(tenant, async (tx) => {
    const row = await findDelivery(tx, delivery);
    if (row?.status !== 'pending') return 'nothing_to_do';
    await putOnList(tx, row);
    return 'woken';
  });
}

/**
 * As many agents with overdue deliveries as one look takes up. Those of receivers that are in trouble come first, being the longest
 * overdue, and stay: with few places they would hide all others.
 */
const overdueAtOnce = 10_000;

/**
 * Puts the jobs of overdue deliveries on the list again, unless they stand there. A job can be lost beside its deliveries:
 * graphile-worker gives up after 25 failures, and one that ends in the moment in which it is asked for again may not hear of it.
 * An agent whose job cannot be put there is told to `onFault` and holds up no other. Returns how many agents have overdue deliveries.
 */
export async function wakeOverdueQueues(
  { db }: Pick<DeliverDeps, 'db'>,
  onFault: (agent: string, error: unknown) => void,
): Promise<number> {
  const overdue = await locateOverdue(db, overdueAtOnce);
  for (const { tenant_id: tenant, agent } of overdue)
    await db
      .asTenant(tenant, (tx) => addQueueJob(tx, { tenant, agent }, { unlessEarlier: true }))
      .catch((error: unknown) => onFault(agent, error));
  return overdue.length;
}

/**
 * Makes the attempts that are due of an agent's deliveries, a few at once, for 10 s at most; then the job of what waits is put
 * on the list again, for when the next is due or the receiver takes more (`held`). An agent holds one place among the jobs,
 * however many of its deliveries are under way.
 */
export async function deliverDue(deps: QueueDeps, queue: DeliveryQueue, told: OnAttempt): Promise<'served' | 'held'> {
  const round = new Round(deps, queue, told);
  await round.run();
  const { db } = deps;
  await db.asTenant(queue.tenant, async (tx) => {
    const next = await nextDueDelivery(tx, { agent: queue.agent, waitMs: round.heldMs });
    // What came meanwhile has put its own job on the list, which is due now.
    if (next) await addQueueJob(tx, queue, { runAt: next.at, unlessEarlier: true });
  });
  return round.heldMs > 0 ? 'held' : 'served';
}

class Round {
  /** How long the receiver takes nothing more; 0 while it does. */
  heldMs = 0;
  readonly #deps: QueueDeps;
  readonly #queue: DeliveryQueue;
  readonly #told: OnAttempt;
  readonly #underWay = new Map<string, Promise<void>>();
  readonly #began = performance.now();
  readonly #faults: unknown[] = [];

  constructor(deps: QueueDeps, queue: DeliveryQueue, told: OnAttempt) {
    this.#deps = deps;
    this.#queue = queue;
    this.#told = told;
  }

  /** Resolves when nothing is under way and nothing more may be begun. @throws what an attempt threw, after the others are over */
  async run(): Promise<void> {
    for (;;) {
      for (const { id } of await this.#due()) this.#begin(id);
      if (this.#underWay.size === 0) break;
      await this.#oneIsOver();
    }
    if (this.#faults.length > 0) throw this.#faults[0];
  }

  #mayBegin(): boolean {
    const isOver = performance.now() - this.#began > jobMs;
    return !isOver && !this.#deps.signal.aborted && this.heldMs === 0 && this.#faults.length === 0;
  }

  async #due(): Promise<Pick<DeliveryRow, 'id'>[]> {
    const limit = mostAtOnce - this.#underWay.size;
    if (limit === 0 || !this.#mayBegin()) return [];
    const { tenant, agent } = this.#queue;
    const underWay = [...this.#underWay.keys()];
    return this.#deps.db
      .asTenant(tenant, (tx) => listDueDeliveries(tx, { agent, underWay, limit }))
      .catch((error: unknown) => {
        this.#faults.push(error);
        return [];
      });
  }

  #begin(delivery: string): void {
    const attempt = deliver(this.#deps, { tenant: this.#queue.tenant, delivery })
      .then((result) => {
        if (typeof result === 'string') this.#told(delivery, result);
        else this.heldMs = Math.max(this.heldMs, result.waitMs);
      })
      .catch((error: unknown) => void this.#faults.push(error))
      .finally(() => this.#underWay.delete(delivery));
    this.#underWay.set(delivery, attempt);
  }

  async #oneIsOver(): Promise<void> {
    const over = new AbortController();
    await Promise.race([...this.#underWay.values(), sleepOrStop(lookAgainMs, over.signal)]);
    over.abort();
  }
}
