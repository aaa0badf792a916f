import { settings } from '../../../services/settings/settings.ts';
import type { DoorAddress } from '../clients/doors.ts';
import type { Taken } from '../clients/turns.ts';
import { keepOn, ownCores } from '../cores.ts';
import { startCpuMeter } from '../cpu.ts';
import type { Measured, Row, RowOptions } from '../row.ts';
import { figureOf, quantile } from '../statistics.ts';
import { type Callers, noCallers, startCallers, startVoiceWorld, type VoiceWorld } from '../voice-world.ts';

/** `least`: turns of each session; `together`: of all of them, since the latencies of one session are few. */
const sizes = {
  full: { steps: [1, 8, 12, 16, 20, 24, 28, 32], least: 3, together: 10 },
  smoke: { steps: [1, 2], least: 1, together: 2 },
};
const everyMs = 8_000;
const addedMostMs = 100;
/** What other programs do to a step looks the same as too many sessions: one that does not hold is tried again. */
const triesMost = 3;
/** Of one session, whose best is what the others are held against. */
const firstTries = 2;
/** One process of callers has so many. */
const callersAtOnce = 8;
/** Two and a half seconds of sound. */
const reply = 'We are open from ten until five, all day.';

/** More and more spoken sessions in a host that has one core, until turns are missed or late. */
export const voiceRamp: Row = {
  name: 'voice-ramp',
  title: 'Voice: sessions on one core',
  against: 'one session in the same host',
  limitMinutes: 75,
  missing: async () =>
    (await noCallers()) ??
    ((await ownCores()).length > 1 ? undefined : 'the host needs a core of its own, beside all others'),
  run: async (options) => {
    const cores = await ownCores();
    // What is started from here on, callers and servers, stays off the host's core.
    await keepOn(process.pid, cores.slice(0, -1));
    await using world = await startVoiceWorld({ reply });
    const door = { kind: 'parley', ...(await world.startApi()) } as const;
    return await measure({ world, door, core: cores.at(-1) ?? 0 }, options);
  },
};

interface Place {
  world: VoiceWorld;
  door: DoorAddress;
  core: number;
}

interface Step {
  sessions: number;
  cpu: number;
  p95: number;
  missed: number;
}

async function measure(place: Place, { pairs, smoke, say }: RowOptions): Promise<Measured> {
  const size = smoke ? sizes.smoke : sizes.full;
  const rounds: Step[][] = [];
  for (let round = 0; round < pairs; round += 1) rounds.push(await ramp(place, size, say));
  const held = rounds.map((steps) => steps.filter((step) => holds(step, steps[0])).at(-1));
  const most = held.map((step) => step?.sessions ?? 0);
  return {
    figures: [
      figureOf({ name: 'sessions', unit: 'sessions', target: { text: '≥ 16', atLeast: 16 } }, most),
      figureOf(
        { name: 'with so many: added to the p95 of one', unit: 'ms' },
        held.map((step, index) => (step?.p95 ?? Number.NaN) - (rounds[index]?.[0]?.p95 ?? Number.NaN)),
      ),
      figureOf(
        { name: 'with so many: CPU', unit: 'cores' },
        held.map((step) => step?.cpu ?? Number.NaN),
      ),
      figureOf(
        { name: 'one session: p95 to first sound', unit: 'ms' },
        rounds.map(([first]) => first?.p95 ?? Number.NaN),
      ),
    ],
    notes: [
      `The host runs on one core, everything else on the others. ${size.steps.join(', ')} sessions, each with a turn every ${everyMs / 1000} s; the ramp ends at the first step with a missed turn or a p95 more than ${addedMostMs} ms above that of one session, in each of ${triesMost} tries. One session is measured ${firstTries} times, and the least of it counts.`,
      `${settings.voiceCapacity.name} (services/settings/subjects/agent-hosts.ts) is what a host carries unless told otherwise: it is the least of these rounds.`,
    ],
  };
}

/** Nothing holds before the first step, which the others are held against. */
const holds = (step: Step | undefined, first: Step | undefined) =>
  step !== undefined && first !== undefined && step.missed === 0 && step.p95 - first.p95 <= addedMostMs;

const told = (step: Step | undefined) =>
  step
    ? `${step.sessions} sessions: ${(100 * step.cpu).toFixed(0)} % of the core, p95 ${step.p95.toFixed(0)} ms, missed ${step.missed}`
    : '';

async function ramp(
  { world, door, core }: Place,
  size: (typeof sizes)['full'],
  say: RowOptions['say'],
): Promise<Step[]> {
  const host = await world.startVoiceHost({ voiceCapacity: 100 });
  await keepOn(host.pid, [core]);
  const groups: Callers[] = [];
  const steps: Step[] = [];
  let present = 0;
  try {
    for (const sessions of size.steps) {
      while (present < sessions) present += await enterMore(groups, door, { present, sessions });
      const turns = Math.max(size.least, Math.ceil(size.together / sessions));
      const tries: Step[] = [];
      do {
        tries.push({ sessions, ...(await loadOf(groups, host.pid, turns)) });
        say(told(tries.at(-1)));
      } while (tries.length < (steps[0] ? triesMost : firstTries) && !holds(tries.at(-1), steps[0]));
      const best = tries.toSorted((a, b) => a.missed - b.missed || a.p95 - b.p95)[0];
      if (!best) break;
      steps.push(best);
      if (!holds(best, steps[0])) break;
    }
  } finally {
    for (const group of groups) {
      await group.call('leaveAll', undefined).catch(() => undefined);
      await group[Symbol.asyncDispose]();
    }
    await host.stop();
  }
  return steps;
}

/** Fills the last group of callers, or opens another. */
async function enterMore(
  groups: Callers[],
  door: DoorAddress,
  { present, sessions }: { present: number; sessions: number },
) {
  const inLast = present % callersAtOnce;
  if (inLast === 0) groups.push(await startCallers());
  const count = Math.min(sessions - present, callersAtOnce - inLast);
  await groups.at(-1)?.call('enter', { door, count });
  return count;
}

async function loadOf(groups: readonly Callers[], pid: number, turns: number): Promise<Omit<Step, 'sessions'>> {
  const talk = (count: number): Promise<Taken[]> =>
    Promise.all(groups.map((group) => group.call('takeTurns', { turns: count, everyMs })));
  await talk(1);
  const used = await startCpuMeter(pid);
  const taken = await talk(turns);
  return {
    cpu: await used(),
    p95: quantile(
      taken.flatMap(({ latenciesMs }) => latenciesMs),
      0.95,
    ),
    missed: taken.reduce((sum, { missed }) => sum + missed, 0),
  };
}
