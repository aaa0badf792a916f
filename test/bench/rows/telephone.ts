import { onPath } from '../../../services/agent/providers/local/on-path.ts';
import { startRedis } from '../../support/databases/redis.ts';
import { startSipBridge, type TestSipBridge } from '../../support/phone/sip-bridge.ts';
import { addNumber, addTrunk, bridgeKnows } from '../../support/phone/telephone.ts';
import { startStockTelephone } from '../baselines/stock-telephone.ts';
import type { commands as phoneCommands } from '../clients/phones.ts';
import type { Taken } from '../clients/turns.ts';
import { startCpuMeter } from '../cpu.ts';
import { hasMemoryAccounts, memoryOf } from '../memory.ts';
import { type Remote, startRemote } from '../remote.ts';
import type { Figure, Measured, Row, RowOptions } from '../row.ts';
import { figureOf, oneFigure, quantile } from '../statistics.ts';
import { noCallers, startVoiceWorld } from '../voice-world.ts';

/** `turns`: of each call. One call has more, since it is what the others are held against. */
const sizes = {
  full: {
    setups: 6,
    steps: [
      { calls: 1, turns: 12 },
      { calls: 2, turns: 3 },
      { calls: 4, turns: 3 },
      { calls: 8, turns: 4 },
    ],
  },
  smoke: {
    setups: 1,
    steps: [
      { calls: 1, turns: 1 },
      { calls: 2, turns: 1 },
    ],
  },
};
const everyMs = 4_000;
/** A second of sound. */
const reply = 'From ten to five.';
const number = '+4930100001';

interface Line {
  bridge: TestSipBridge;
  number: string;
}

type Phones = Remote<typeof phoneCommands>;
type Size = (typeof sizes)['full'];

interface Step extends Taken {
  calls: number;
  setupMs: number[];
  failed: number;
  bridgeMb: number;
  bridgeCores: number;
}

interface Ramp {
  /** One call after another. */
  setupMs: number[];
  failed: number;
  idleMb: number;
  steps: Step[];
}

/** More and more calls at once by the SIP bridge: how long they take to be answered, how late the answers are, and what the bridge takes. */
export const telephone: Row = {
  name: 'telephone',
  title: 'Telephone: calls at once',
  against: 'one call; and a stock worker behind a bridge and a room server of its own',
  limitMinutes: 30,
  missing: async () =>
    (await noCallers()) ??
    (onPath('redis-server', process.env) ? undefined : 'redis-server is not installed') ??
    ((await hasMemoryAccounts()) ? undefined : 'only Linux tells what a process holds'),
  run: async (options) => {
    await using redis = await startRedis();
    const { host } = new URL(redis.url);
    await using world = await startVoiceWorld({ reply, redis: host });
    await world.startApi();
    await world.startVoiceHost();
    await world.startWorker();
    await using bridge = await startSipBridge({ rooms: world.rooms, redis: host, apiPort: world.internalPort });
    await addNumber(world, { number, trunk_id: await addTrunk(world), agent: 'bench' });
    await bridgeKnows({ world }, number);
    await using stock = await startStockTelephone({ idleProcesses: 2, providersUrl: world.providersUrl });
    return await measure({ ours: { bridge, number }, stock }, options);
  },
};

async function measure(lines: Record<'ours' | 'stock', Line>, { pairs, smoke, say }: RowOptions): Promise<Measured> {
  const size = smoke ? sizes.smoke : sizes.full;
  const rounds = { ours: [] as Ramp[], stock: [] as Ramp[] };
  for (let pair = 0; pair < pairs; pair += 1)
    for (const side of ['stock', 'ours'] as const)
      rounds[side].push(await ramp(lines[side], size, (line) => say(`${side}: ${line}`)));
  const most = size.steps.at(-1)?.calls ?? 0;
  return {
    figures: [
      figureOf(
        { name: `${most} calls: added to the p95 of one`, unit: 'ms', target: { text: '≤ 30 ms', atMost: 30 } },
        rounds.ours.map(added),
      ),
      figureOf({ name: `stock, ${most} calls: added to the p95 of one`, unit: 'ms' }, rounds.stock.map(added)),
      ...size.steps.flatMap((_, nth) => [
        ...latencies('', rounds.ours, nth),
        ...latencies('stock, ', rounds.stock, nth),
      ]),
      ...setups('', rounds.ours),
      ...setups('stock, ', rounds.stock),
      ...ofBridge('', rounds.ours),
      ...ofBridge('stock, ', rounds.stock),
      oneFigure({ name: 'calls and turns missed', unit: '', target: { text: '0', atMost: 0 } }, missed(rounds.ours)),
      oneFigure({ name: 'stock, calls and turns missed', unit: '' }, missed(rounds.stock)),
    ],
    notes: [
      `From the last packet of a question, as a telephone sends it, to the first of the answer, as it hears it: SIP bridge, room server and agent, ${size.steps.map(({ calls, turns }) => `${calls} at once with ${turns} turns each`).join(', ')}, one every ${everyMs / 1_000} s at fixed times. One call has few turns, so that its p95 is its slowest.`,
      'Setup is from INVITE to 200: until the agent is in the room with its voice. The calls of a step are dialled in the same moment.',
      'Bridges, room servers, hosts, database and telephones share the cores. The stock worker has a bridge, a Redis and a room server of its own, which makes rooms by itself, and two processes that wait for a call; it is idle while ours is measured, and the other way round.',
      "A bridge's memory is its share (PSS).",
    ],
  };
}

async function ramp(
  { bridge, number: to }: Line,
  { setups: count, steps }: Size,
  say: RowOptions['say'],
): Promise<Ramp> {
  await using phones = await startRemote<typeof phoneCommands>(new URL('../clients/phones.ts', import.meta.url));
  const { pss: idleMb } = await memoryOf(bridge.pid);
  const done: Ramp = { setupMs: [], failed: 0, idleMb, steps: [] };
  for (let nth = 0; nth < count; nth += 1) {
    const { setupMs, failed } = await phones.call('dial', { number: to, by: bridge.sip, count: 1 });
    done.setupMs.push(...setupMs);
    done.failed += failed;
    await phones.call('hangUp', undefined);
  }
  for (const { calls, turns } of steps) {
    const more = calls - (done.steps.at(-1)?.calls ?? 0);
    const dialled = await phones.call('dial', { number: to, by: bridge.sip, count: more });
    done.steps.push({ calls, ...dialled, ...(await talked(phones, bridge, turns)) });
    say(toldOf(done.steps.at(-1)));
  }
  await phones.call('hangUp', undefined);
  return done;
}

async function talked(phones: Phones, { pid }: TestSipBridge, turns: number) {
  await phones.call('talk', { turns: 1, everyMs });
  const used = await startCpuMeter(pid);
  const taken = await phones.call('talk', { turns, everyMs });
  return { ...taken, bridgeCores: await used(), bridgeMb: (await memoryOf(pid)).pss };
}

const toldOf = (step: Step | undefined): string =>
  step
    ? `${step.calls} calls: p50 ${quantile(step.latenciesMs, 0.5).toFixed(0)} ms, p95 ${quantile(step.latenciesMs, 0.95).toFixed(0)} ms, missed ${step.missed + step.failed}, bridge ${step.bridgeMb.toFixed(0)} MB`
    : '';

const lateness = (step: Step | undefined, share: number) => quantile(step?.latenciesMs ?? [], share);
const added = ({ steps }: Ramp) => lateness(steps.at(-1), 0.95) - lateness(steps[0], 0.95);

const latencies = (side: string, rounds: readonly Ramp[], nth: number): Figure[] =>
  [0.5, 0.95].map((share) =>
    figureOf(
      { name: `${side}${named(rounds, nth)}: end of speech to first sound, p${100 * share}`, unit: 'ms' },
      rounds.map(({ steps }) => lateness(steps[nth], share)),
    ),
  );

function named([first]: readonly Ramp[], nth: number): string {
  const calls = first?.steps[nth]?.calls ?? 0;
  return calls === 1 ? 'one call' : `${calls} calls`;
}

const setups = (side: string, rounds: readonly Ramp[]): Figure[] => [
  figureOf(
    { name: `${side}setup, one call after another, p50`, unit: 'ms' },
    rounds.map(({ setupMs }) => quantile(setupMs, 0.5)),
  ),
  figureOf(
    { name: `${side}setup, the slowest of the last step's`, unit: 'ms' },
    rounds.map(({ steps }) => quantile(steps.at(-1)?.setupMs ?? [], 1)),
  ),
];

const ofBridge = (side: string, rounds: readonly Ramp[]): Figure[] => [
  figureOf(
    { name: `${side}the bridge's memory without a call`, unit: 'MB' },
    rounds.map(({ idleMb }) => idleMb),
  ),
  figureOf(
    { name: `${side}the bridge's memory with the most calls`, unit: 'MB' },
    rounds.map(({ steps }) => steps.at(-1)?.bridgeMb ?? Number.NaN),
  ),
  figureOf(
    { name: `${side}the bridge's CPU with the most calls`, unit: 'cores' },
    rounds.map(({ steps }) => steps.at(-1)?.bridgeCores ?? Number.NaN),
  ),
];

const missed = (rounds: readonly Ramp[]) =>
  rounds.reduce(
    (sum, { failed, steps }) => sum + failed + steps.reduce((all, step) => all + step.failed + step.missed, 0),
    0,
  );
