import { readdir } from 'node:fs/promises';
import { settings } from '../../../services/settings/settings.ts';
import type { DoorAddress } from '../clients/doors.ts';
import { treeOf } from '../cpu.ts';
import { hasMemoryAccounts, settledMemoryOf } from '../memory.ts';
import type { Figure, Measured, Row, RowOptions } from '../row.ts';
import { figureOf, oneFigure } from '../statistics.ts';
import { noCallers, startCallers, startVoiceWorld, type VoiceWorld } from '../voice-world.ts';

const sizes = {
  full: { looks: 10, calls: 60, atOnce: 6, retireAtMb: 600 },
  smoke: { looks: 2, calls: 2, atOnce: 1, retireAtMb: 700 },
};
/** So that one can leave: the other carries its calls meanwhile. */
const hostsAtOnce = 2;
/** A second of sound. */
const reply = 'From ten to five.';

/** What the fleet's largest process and the room server hold while nobody calls. */
interface Held {
  pss: number;
  descriptors: number;
  threads: number;
  children: number;
  goroutines: number;
}

const units: Record<keyof Held, string> = {
  pss: 'MB',
  descriptors: '',
  threads: '',
  children: 'processes',
  goroutines: '',
};
const names: Record<keyof Held, string> = {
  pss: "a host's memory (PSS)",
  descriptors: "a host's file descriptors",
  threads: "a host's threads",
  children: "a host's child processes",
  goroutines: "the room server's goroutines",
};

/** An hour's worth of short calls at speed: what they leave behind. */
export const voiceCalls: Row = {
  name: 'voice-calls',
  title: 'Voice: hundreds of short calls, one after another',
  against: 'the same processes after the first tenth of the calls',
  limitMinutes: 60,
  missing: async () =>
    (await noCallers()) ?? ((await hasMemoryAccounts()) ? undefined : 'only Linux tells what a process holds'),
  run: async (options) => {
    await using world = await startVoiceWorld({ reply });
    await world.startWorker();
    return await measure(world, { kind: 'parley', ...(await world.startApi()) }, options);
  },
};

async function measure(world: VoiceWorld, door: DoorAddress, { smoke, say }: RowOptions): Promise<Measured> {
  const { looks, calls, atOnce, retireAtMb } = smoke ? sizes.smoke : sizes.full;
  await using fleet = await startFleet(world, retireAtMb);
  const seen: Held[] = [];
  let missed = 0;
  for (let look = 0; look < looks; look += 1) {
    await using callers = await startCallers();
    missed += (await callers.call('shortCalls', { door, calls, atOnce })).missed;
    seen.push(await held(world, fleet.pids()));
    say(
      `${(look + 1) * calls} calls: ${JSON.stringify(seen.at(-1))}, missed ${missed}, hosts that left: ${fleet.left()}`,
    );
  }
  const rounds = (what: keyof Held) => seen.map((look) => look[what]);
  const kinds = Object.keys(names) as (keyof Held)[];
  return {
    figures: [
      ...kinds.map((what): Figure => figureOf({ name: names[what], unit: units[what] }, rounds(what))),
      ...kinds.map(
        (what): Figure =>
          oneFigure({ name: `${names[what]}, more in the second half`, unit: units[what] }, growth(rounds(what))),
      ),
      oneFigure({ name: 'hosts that left because of their memory', unit: 'hosts' }, fleet.left()),
      oneFigure({ name: 'calls', unit: 'calls' }, looks * calls),
      oneFigure({ name: 'calls without an answer', unit: 'calls', target: { text: '0', atMost: 0 } }, missed),
    ],
    notes: [
      `${atOnce} calls at a time, each with one question and its answer; looked at after every ${calls} calls, 20 s after the last of them has ended (the least memory of ten looks). The rounds are these looks in their order.`,
      `${hostsAtOnce} hosts, each told to leave at ${retireAtMb} MB (${settings.retireAtMb.name}) and started again when it has ended, as a cluster does; of each figure the larger of the two. A stack says 75 % of the pod's limit, which is more.`,
      'More in the second half: the last look minus the one in the middle.',
      'The native layer (rtc-node 0.13.35) keeps about 0.45 MB of each connection that publishes a track for the rest of the process: 480 connections without any of our code have shown it, with the native libraries 0.12.73 and 0.12.80, with glibc (one arena or many) and with jemalloc, and also when every handle was disposed of by hand. The room server keeps a goroutine for the webhooks of each room for 5 to 7.5 minutes, by its source.',
    ],
  };
}

interface Fleet extends AsyncDisposable {
  pids(): number[];
  /** How many hosts have ended by themselves. */
  left(): number;
}

/** Hosts that are started again when they end, as by a cluster. */
async function startFleet(world: VoiceWorld, retireAtMb: number): Promise<Fleet> {
  const hosts = new Set<Awaited<ReturnType<VoiceWorld['startVoiceHost']>>>();
  let left = 0;
  let closed = false;
  const keepOne = async () => {
    const host = await world.startVoiceHost({ retireAtMb });
    hosts.add(host);
    void host.exited.then(() => {
      hosts.delete(host);
      if (closed) return;
      left += 1;
      void keepOne();
    });
  };
  await Promise.all(Array.from({ length: hostsAtOnce }, keepOne));
  return {
    pids: () => [...hosts].map(({ pid }) => pid),
    left: () => left,
    [Symbol.asyncDispose]: async () => {
      closed = true;
      await Promise.all([...hosts].map((host) => host.stop()));
    },
  };
}

const growth = (rounds: readonly number[]) =>
  (rounds.at(-1) ?? Number.NaN) - (rounds[Math.floor((rounds.length - 1) / 2)] ?? Number.NaN);

async function held({ rooms }: VoiceWorld, pids: readonly number[]): Promise<Held> {
  const [looks, figures] = await Promise.all([
    // One may leave while it is looked at.
    Promise.allSettled(pids.map(holdingsOf)),
    fetch(rooms.metricsUrl).then((response) => response.text()),
  ]);
  const hosts = looks.flatMap((look) => (look.status === 'fulfilled' ? [look.value] : []));
  const most = (of: (holdings: (typeof hosts)[number]) => number) => Math.max(...hosts.map(of));
  return {
    pss: most(({ pss }) => pss),
    descriptors: most(({ descriptors }) => descriptors),
    threads: most(({ threads }) => threads),
    children: most(({ children }) => children),
    goroutines: Number(/^go_goroutines (\d+)/m.exec(figures)?.[1]),
  };
}

async function holdingsOf(pid: number): Promise<Omit<Held, 'goroutines'>> {
  const { pss } = await settledMemoryOf(pid);
  const [descriptors, threads, tree] = await Promise.all([
    readdir(`/proc/${pid}/fd`),
    readdir(`/proc/${pid}/task`),
    treeOf(pid),
  ]);
  return { pss: Math.round(pss), descriptors: descriptors.length, threads: threads.length, children: tree.length - 1 };
}
