import { wakeOverdueQueues } from '../core/deliveries/queue.ts';
import { DeathWatch } from '../core/hosts/death-watch.ts';
import { releaseDeadHosts } from '../core/hosts/release-dead-hosts.ts';
import { tellOfReachedCaps } from '../core/reaping/caps.ts';
import { type ReapDeps, reapDueSessions } from '../core/reaping/reap.ts';
import { type ReconcileDeps, Reconciler } from '../core/reaping/reconcile.ts';
import { deleteDueSessions, forgetExpiredMarks, retentionBatch } from '../core/retention/retention.ts';
import { hashPrefix } from '../core/sessions/ids.ts';
import { CallWatch, type CallWatchDeps } from '../core/telephony/call-watch.ts';
import { BridgeKeeper, type KeepBridgeDeps } from '../core/telephony/keep-bridge.ts';
import { CallFollower } from '../core/telephony/outbound/follow.ts';
import type { Logger } from '../process/logger.ts';
import { type Loop, startLoop } from '../process/loop.ts';
import { channels } from '../store/notify.ts';
import { keepHostKinds } from '../store/tables/hosts.ts';
import { beatPools, forgetPools } from '../store/tables/job-pools.ts';
import { type SharedWork, takeLead } from '../store/tables/leads.ts';
import { forgetProcesses } from '../store/tables/running-processes.ts';
import type { PoolLocks } from './jobs/pool-locks.ts';
import { makeSweep } from './jobs/sweep.ts';
import type { WorkerMetrics } from './metrics.ts';

export interface WatchDeps
  extends Omit<ReapDeps, 'onFault' | 'rooms'>,
    Omit<ReconcileDeps, 'leads' | 'onCorrection' | 'onFault'>,
    Omit<KeepBridgeDeps, 'leads' | 'onMissingVariable'>,
    Omit<CallWatchDeps, 'leads' | 'onRefused' | 'rooms'> {
  log: Logger;
  metrics: WorkerMetrics;
  /** On the connection by which this process lives. */
  locks: Pick<PoolLocks, 'connectionSettledMs' | 'lockKey' | 'lockIsMissing' | 'pools'>;
}

const reapEveryMs = 1_000;
const reconcileEveryMs = 3_000;
const keepBridgeEveryMs = 2_000;
const watchCallsEveryMs = 1_000;
/** So long a session may go on beyond its cap; each look reads all sessions that run. */
const lookForCapsEveryMs = 5_000;
/** A host that is there too looks more often and takes over by itself: this is for the death of the last one, while another starts. */
const watchHostsEveryMs = 250;
const beatEveryMs = 2_000;
const sweepEveryMs = 5_000;
const sweepAgainMs = 1_100;
const wakeDeliveriesEveryMs = 30_000;
const deleteEveryMs = 60_000;
const forgetEveryMs = 10 * 60_000;

/** What the worker does by itself, again and again: each in a loop of its own, so that none waits for another. */
export function startWatches(deps: WatchDeps): Loop[] {
  return [
    reaping(deps),
    reconciling(deps),
    keepingBridge(deps),
    watchingCalls(deps),
    followingCalls(deps),
    watchingCaps(deps),
    watchingHosts(deps),
    beating(deps),
    sweeping(deps),
    wakingDeliveries(deps),
    deleting(deps),
    forgetting(deps),
  ];
}

function reaping(deps: WatchDeps): Loop {
  const { log, metrics } = deps;
  const onFault = (session: string, err: unknown) =>
    log.error({ err, session: hashPrefix(session) }, 'a session that is due could not be judged');
  const look = async () => {
    for (const reason of await reapDueSessions({ ...deps, onFault })) metrics.sessionsEnded.inc({ reason });
  };
  return startLoop(reapEveryMs, look, (err) => log.warn({ err }, 'the reaper could not look'));
}

/** Asked when there is something to do: taking the lead writes. */
const leading =
  ({ db, locks }: WatchDeps, work: SharedWork) =>
  () =>
    takeLead(db, { work, lockKey: locks.lockKey });

function reconciling(deps: WatchDeps): Loop {
  const reconciler = new Reconciler({
    ...deps,
    leads: leading(deps, 'rooms'),
    onCorrection: (result) => deps.metrics.reconciled.inc({ result }),
    onFault: (room, err) => deps.log.error({ err, room: hashPrefix(room) }, 'a room could not be compared'),
  });
  return startLoop(
    reconcileEveryMs,
    () => reconciler.look(),
    (err) => deps.log.warn({ err }, 'rooms could not be compared'),
  );
}

/** The SIP bridge knows our trunks, also after its Redis came back empty. */
function keepingBridge(deps: WatchDeps): Loop {
  const { log } = deps;
  const keeper = new BridgeKeeper({
    ...deps,
    leads: leading(deps, 'bridge'),
    onMissingVariable: (trunk, variable) =>
      log.warn({ trunk, variable }, 'a trunk takes no calls: the variable of its password is not declared, or empty'),
  });
  return startLoop(
    keepBridgeEveryMs,
    () => keeper.look(),
    (err) => log.warn({ err }, 'the SIP bridge could not be told of trunks'),
  );
}

/** Calls out of which nobody knows what came, and the time of those that go on. */
function followingCalls(deps: WatchDeps): Loop {
  const { log } = deps;
  const onFault = (call: string, err: unknown) =>
    log.error({ err, call: hashPrefix(call) }, 'a call could not be compared with its room');
  const follower = new CallFollower({ ...deps, leads: leading(deps, 'calls'), onFault });
  return startLoop(
    watchCallsEveryMs,
    () => follower.look(),
    (err) => log.warn({ err }, 'calls could not be compared with their rooms'),
  );
}

/** Calls of which the room server's event was lost. */
function watchingCalls(deps: WatchDeps): Loop {
  const { log } = deps;
  const watch = new CallWatch({
    ...deps,
    leads: leading(deps, 'calls'),
    onRefused: (room, code) => log.info({ code, room: hashPrefix(room) }, 'a call was refused'),
  });
  return startLoop(
    watchCallsEveryMs,
    () => watch.look(),
    (err) => log.warn({ err }, 'calls could not be looked for'),
  );
}

const watchingCaps = ({ db, log, notifier }: WatchDeps): Loop =>
  startLoop(
    lookForCapsEveryMs,
    async () => {
      const sessions = await tellOfReachedCaps({ db, notifier });
      if (sessions > 0) log.info({ sessions }, 'sessions end because a cap of their agent or tenant is reached');
    },
    (err) => log.warn({ err }, 'whether caps are reached could not be looked at'),
  );

/** Dead hosts: also the last one, whose death no other host could notice. */
function watchingHosts({ db, log, locks, notifier }: WatchDeps): Loop {
  const deaths = new DeathWatch();
  const look = async () => {
    for (const dead of await releaseDeadHosts(db, deaths, locks)) {
      log.warn(dead, 'a host died and its sessions wait for another');
      if (dead.sessions > 0) notifier.tell(channels.work, '');
    }
    const leftMs = (deaths.nextProofAt ?? 0) - performance.now();
    if (leftMs > 0 && leftMs < watchHostsEveryMs) setTimeout(() => loop.nudge(), leftMs).unref();
  };
  const loop = startLoop(watchHostsEveryMs, look, (err) => {
    deaths.forget();
    log.warn({ err }, 'hosts could not be looked at');
  });
  return loop;
}

/** This worker's own job pools live. */
const beating = ({ db, log, locks }: WatchDeps): Loop =>
  startLoop(
    beatEveryMs,
    () => beatPools(db, locks.pools),
    (err) => log.warn({ err }, 'nothing could be said of the job pools of this worker'),
  );

/** Dead job pools: every five seconds, and a second after one was suspected. */
function sweeping({ db, log, metrics }: WatchDeps): Loop {
  const sweep = makeSweep(db);
  const loop = startLoop(
    sweepEveryMs,
    async () => {
      const { unlocked, suspects } = await sweep.look();
      if (suspects > 0) setTimeout(() => loop.nudge(), sweepAgainMs).unref();
      if (unlocked.length === 0) return;
      metrics.unlocked.inc(unlocked.length);
      log.warn({ pools: unlocked }, 'the jobs of dead workers were given free');
    },
    (err) => log.warn({ err }, 'dead workers could not be looked for'),
  );
  return loop;
}

/** Deliveries that nobody attempts although they are due. */
const wakingDeliveries = ({ db, log }: WatchDeps): Loop =>
  startLoop(
    wakeDeliveriesEveryMs,
    () => wakeOverdueQueues({ db }, (agent, err) => log.warn({ err, agent }, 'overdue deliveries could not be woken')),
    (err) => log.warn({ err }, 'overdue deliveries could not be looked for'),
  );

function deleting({ db, log, metrics }: WatchDeps): Loop {
  const look = async () => {
    for (let deleted = retentionBatch; deleted === retentionBatch; ) {
      deleted = await deleteDueSessions({ db });
      metrics.sessionsDeleted.inc(deleted);
      if (deleted > 0) log.info({ deleted }, 'sessions were deleted because their retention is over');
    }
  };
  return startLoop(deleteEveryMs, look, (err) => log.warn({ err }, 'what is due could not be deleted'));
}

const forgetting = ({ db, log }: WatchDeps): Loop =>
  startLoop(
    forgetEveryMs,
    () => Promise.all([forgetExpiredMarks({ db }), forgetPools(db), forgetProcesses(db), keepHostKinds(db)]),
    (err) => log.warn({ err }, 'what has expired could not be forgotten'),
  );
