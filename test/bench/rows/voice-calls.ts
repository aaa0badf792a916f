import { readdir } from 'node:fs/promises';
import type { DoorAddress } from '../clients/doors.ts';
import { treeOf } from '../cpu.ts';
import { hasMemoryAccounts, settledMemoryOf } from '../memory.ts';
import type { Figure, Measured, Row, RowOptions } from '../row.ts';
import { figureOf, oneFigure } from '../statistics.ts';
import { noCallers, startCallers, startVoiceWorld, type VoiceWorld } from '../voice-world.ts';

const sizes = { full: { looks: 10, calls: 40, atOnce: 8 }, smoke: { looks: 2, calls: 2, atOnce: 1 } };
/** A second of sound. */
const reply = 'From ten to five.';

/** What one host process and the room server hold while nobody calls. */
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
  pss: "the host's memory (PSS)",
  descriptors: "the host's file descriptors",
  threads: "the host's threads",
  children: "the host's child processes",
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
  const { looks, calls, atOnce } = smoke ? sizes.smoke : sizes.full;
  const host = await world.startVoiceHost();
  const seen: Held[] = [];
  let missed = 0;
  for (let look = 0; look < looks; look += 1) {
    await using callers = await startCallers();
    missed += (await callers.call('shortCalls', { door, calls, atOnce })).missed;
    seen.push(await held(world, host.pid));
    say(`${(look + 1) * calls} calls: ${JSON.stringify(seen.at(-1))}, missed ${missed}`);
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
      oneFigure({ name: 'calls', unit: 'calls' }, looks * calls),
      oneFigure({ name: 'calls without an answer', unit: 'calls', target: { text: '0', atMost: 0 } }, missed),
    ],
    notes: [
      `${atOnce} calls at a time, each with one question and its answer; looked at after every ${calls} calls, 20 s after the last of them has ended (the least memory of ten looks). The rounds are these looks in their order.`,
      'More in the second half: the last look minus the one in the middle.',
      'The native layer (rtc-node 0.13.35) keeps about 0.45 MB of each connection for the rest of the process, as 30 to 180 connections without any of our code have shown; with the native library of a later version (0.12.80) it kept 0.1 MB. The room server keeps a goroutine for the webhooks of each room for 5 to 7.5 minutes, by its source.',
    ],
  };
}

const growth = (rounds: readonly number[]) =>
  (rounds.at(-1) ?? Number.NaN) - (rounds[Math.floor((rounds.length - 1) / 2)] ?? Number.NaN);

async function held({ rooms }: VoiceWorld, pid: number): Promise<Held> {
  const { pss } = await settledMemoryOf(pid);
  const [descriptors, threads, tree, figures] = await Promise.all([
    readdir(`/proc/${pid}/fd`),
    readdir(`/proc/${pid}/task`),
    treeOf(pid),
    fetch(rooms.metricsUrl).then((response) => response.text()),
  ]);
  const goroutines = Number(/^go_goroutines (\d+)/m.exec(figures)?.[1]);
  return {
    pss: Math.round(pss),
    descriptors: descriptors.length,
    threads: threads.length,
    children: tree.length - 1,
    goroutines,
  };
}
