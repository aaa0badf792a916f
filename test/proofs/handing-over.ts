import pLimit from 'p-limit';
import { handoverSeconds } from '../../services/contract/handover.ts';
import { eventually } from '../support/eventually.ts';
import { startLoad } from '../support/load.ts';
import type { Customer } from '../support/people/customer.ts';
import { isAnswered, nothingLostOrRepeated, startTalk, type Talk, write } from '../support/people/talk.ts';
import type { ServiceProcess } from '../support/world/service-process.ts';
import { startWorld, type World } from '../support/world/world.ts';

export interface HandOverPlan {
  conversations: number;
  /** Between two texts of one person; persons take turns within it. */
  everyMs: number;
  /** Processes beside it that do nothing but keep a core busy. */
  load: number;
}

/** What came of one host that was told to stop while people went on writing, none of them twice. */
export interface HandedOver {
  /** From SIGTERM to the end of the process. */
  tookMs: number;
  texts: number;
  /** From a text that was written meanwhile to the end of its answer. */
  answeredAfterMs: number[];
  /** What was not as it must be, in words. */
  faults: string[];
  /** What the processes wrote last, should there be any. */
  output: string;
}

const joinsAtOnce = 4;
const checksAtOnce = 10;
/** More than a host may take by itself: it ends in order, or is killed and that is a fault. */
const patienceMs = 10_000;
const answeredWithinMs = 60_000;
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, Math.max(0, ms)));

export async function handOver(plan: HandOverPlan): Promise<HandedOver> {
  const capacity = plan.conversations + 20;
  await using world = await startWorld({ hosts: 1, ownPostgres: true, capacity });
  const [old] = world.hosts;
  const talks = await startTalks(await world.customer(), plan.conversations);
  await world.startHost();
  await using _load = startLoad(plan.load);
  const writing = startWriting(talks, plan.everyMs);
  await pause(plan.everyMs);
  const from = performance.now();
  const end = await stopInOrder(old as ServiceProcess, handoverSeconds(capacity) * 1_000 + patienceMs);
  const to = performance.now();
  // Everybody writes to the successor, too.
  await pause(plan.everyMs);
  await writing.stop();
  const answeredAfterMs = await answeredAfter(talks, writing.writtenAt, { from, to });
  const faults = [...end, ...(await faultsOf(world, talks))];
  const texts = talks.reduce((sum, { written }) => sum + written.length, 0);
  return { tookMs: to - from, texts, answeredAfterMs, faults, output: faults.length > 0 ? world.output() : '' };
}

async function startTalks(customer: Customer, count: number): Promise<Talk[]> {
  const limit = pLimit(joinsAtOnce);
  return Promise.all(Array.from({ length: count }, () => limit(() => startTalk(customer))));
}

/** Everybody at their own moments, whether or not they were answered. */
function startWriting(talks: readonly Talk[], everyMs: number) {
  const over = new AbortController();
  const writtenAt = new Map<string, number>();
  const began = performance.now();
  const one = async (talk: Talk, place: number) => {
    for (let nth = 0; ; nth += 1) {
      await pause(began + (nth + place / talks.length) * everyMs - performance.now());
      if (over.signal.aborted) return;
      const text = `text ${nth}`;
      writtenAt.set(nameOf(talk, text), performance.now());
      await write(talk, text);
    }
  };
  const writing = Promise.all(talks.map(one));
  return {
    writtenAt,
    stop: async () => {
      over.abort();
      await writing;
    },
  };
}

const nameOf = ({ sessionId }: Talk, text: string) => `${sessionId} ${text}`;

async function stopInOrder(host: ServiceProcess, withinMs: number): Promise<string[]> {
  const exited = host.exited as Promise<[number | null, string | null]>;
  await host.stop(withinMs);
  const [code, signal] = await exited;
  return code === 0 ? [] : [`the host ended with ${signal ?? code}:\n${host.output()}`];
}

/** Of the texts that were written between two moments. Those without an answer are among the faults. */
async function answeredAfter(
  talks: readonly Talk[],
  writtenAt: ReadonlyMap<string, number>,
  { from, to }: { from: number; to: number },
): Promise<number[]> {
  const all = () => talks.every((talk) => talk.written.every((text) => isAnswered(talk, text)));
  await eventually('everything is answered', all, { withinMs: answeredWithinMs, everyMs: 250 }).catch(() => undefined);
  return talks.flatMap((talk) =>
    talk.written.flatMap((text) => {
      const at = writtenAt.get(nameOf(talk, text)) ?? 0;
      const reply = talk.person.replies.find((one) => one.endedAt !== undefined && one.text === `You said: ${text}`);
      return at >= from && at <= to && reply?.endedAt ? [reply.endedAt - at] : [];
    }),
  );
}

async function faultsOf(world: World, talks: readonly Talk[]): Promise<string[]> {
  const limit = pLimit(checksAtOnce);
  const found = await Promise.all(talks.map((talk) => limit(() => faultOf(world, talk))));
  return found.flat();
}

async function faultOf(world: World, talk: Talk): Promise<string[]> {
  const { person, sessionId } = talk;
  if (person.disconnectedBecause !== undefined) return [`${sessionId}: sent out (${person.disconnectedBecause})`];
  try {
    await nothingLostOrRepeated(world, talk);
    return [];
  } catch (error) {
    const { message, cause } = error as Error;
    return [
      `${sessionId}: ${message} ${cause instanceof Error ? cause.message : ''}; heard ${person.texts().join(' | ')}`,
    ];
  } finally {
    await person.leave();
  }
}
