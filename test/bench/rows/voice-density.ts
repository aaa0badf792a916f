import { startStockWorker } from '../baselines/stock.ts';
import type { DoorAddress } from '../clients/doors.ts';
import { startCpuMeter, treeOf } from '../cpu.ts';
import { hasMemoryAccounts, memoryOf } from '../memory.ts';
import { delays } from '../providers/delays.ts';
import type { Measured, Row, RowOptions } from '../row.ts';
import { figureOf, oneFigure, quantile } from '../statistics.ts';
import { noCallers, startCallers, startVoiceWorld, type VoiceWorld } from '../voice-world.ts';

const sizes = { full: { sessions: 8, turns: 4 }, smoke: { sessions: 2, turns: 1 } };
const everyMs = 8_000;
/** Two and a half seconds of sound. */
const reply = 'We are open from ten until five, all day.';

interface Load {
  /** Cores in use, and memory in MB. */
  cpu: number;
  pss: number;
  missed: number;
  latenciesMs: number[];
}

/** What spoken sessions cost the machine: recognition, model and synthesis are somebody else's. */
export const voiceDensity: Row = {
  name: 'voice-density',
  title: 'Voice: 8 sessions in one host process',
  against: 'the stock worker on the same room server, with the same providers and callers',
  limitMinutes: 30,
  missing: async () =>
    (await noCallers()) ??
    ((await hasMemoryAccounts()) ? undefined : 'only Linux tells memory and processor time exactly'),
  run: async (options) => {
    await using world = await startVoiceWorld({ reply });
    return await measure(world, { kind: 'parley', ...(await world.startApi()) }, options);
  },
};

async function measure(world: VoiceWorld, door: DoorAddress, { pairs, smoke, say }: RowOptions): Promise<Measured> {
  const size = smoke ? sizes.smoke : sizes.full;
  const rounds = { ours: [] as Load[], stock: [] as Load[] };
  for (let pair = 0; pair < pairs; pair += 1) {
    rounds.stock.push(await stockLoad(world, size));
    rounds.ours.push(await hostLoad(world, door, size));
    for (const side of ['ours', 'stock'] as const) say(`${side} ${told(rounds[side].at(-1))}`);
  }
  const of = (side: 'ours' | 'stock', what: 'cpu' | 'pss') => rounds[side].map((load) => load[what]);
  const share = (what: 'cpu' | 'pss') =>
    of('ours', what).map((own, index) => own / (of('stock', what)[index] ?? Number.NaN));
  const missed = (side: 'ours' | 'stock') => rounds[side].reduce((sum, load) => sum + load.missed, 0);
  const p50 = (side: 'ours' | 'stock') => rounds[side].map(({ latenciesMs }) => quantile(latenciesMs, 0.5));
  return {
    figures: [
      figureOf({ name: 'share of CPU', unit: '×', target: { text: '≤ 0.4', atMost: 0.4 } }, share('cpu')),
      figureOf({ name: 'share of memory (PSS)', unit: '×', target: { text: '≤ 0.15', atMost: 0.15 } }, share('pss')),
      figureOf({ name: 'ours, CPU', unit: 'cores' }, of('ours', 'cpu')),
      figureOf({ name: 'stock, CPU', unit: 'cores' }, of('stock', 'cpu')),
      figureOf({ name: 'ours, PSS', unit: 'MB' }, of('ours', 'pss')),
      figureOf({ name: 'stock, PSS', unit: 'MB' }, of('stock', 'pss')),
      figureOf({ name: 'ours, end of speech to answer, p50', unit: 'ms' }, p50('ours')),
      figureOf({ name: 'stock, end of speech to answer, p50', unit: 'ms' }, p50('stock')),
      oneFigure({ name: 'turns missed, ours', unit: 'turns' }, missed('ours')),
      oneFigure({ name: 'turns missed, stock', unit: 'turns' }, missed('stock')),
    ],
    notes: [
      `${size.sessions} sessions a side and round, each with a turn every ${everyMs / 1000} s: about 3 s of speech, an answer of 2.5 s. Measured over ${size.turns} turns of each, after one that is not counted.`,
      `Recognition (${delays.recognitionMs} ms), model (${delays.modelMs} ms) and synthesis (${delays.synthesisMs} ms) are a server that speaks OpenAI's protocol; voice detection and the end of a turn are each side's own.`,
      "Ours is the host process; stock is the worker, its job processes (one of them idle) and its process for inference. Ours also writes to PostgreSQL and has an API, which are not counted; stock's worker stores nothing.",
      'A quarter of a gigabyte of ours is the model that judges from the sound whether a person has finished, which stock is not asked to do here.',
    ],
  };
}

type Size = (typeof sizes)['full'];

async function stockLoad(world: VoiceWorld, size: Size): Promise<Load> {
  await using stock = await startStockWorker(world, { idleProcesses: 1, providersUrl: world.providersUrl });
  return await loadOf(stock.pid, stock.door, size);
}

async function hostLoad(world: VoiceWorld, door: DoorAddress, size: Size): Promise<Load> {
  const host = await world.startVoiceHost();
  const load = await loadOf(host.pid, door, size);
  await host.stop();
  return load;
}

async function loadOf(pid: number, door: DoorAddress, { sessions, turns }: Size): Promise<Load> {
  await using callers = await startCallers();
  await callers.call('enter', { door, count: sessions });
  await callers.call('takeTurns', { turns: 1, everyMs });
  const used = await startCpuMeter(pid);
  const taken = await callers.call('takeTurns', { turns, everyMs });
  const cpu = await used();
  const memories = await Promise.all((await treeOf(pid)).map(memoryOf));
  await callers.call('leaveAll', undefined);
  return { cpu, pss: memories.reduce((sum, { pss }) => sum + pss, 0), ...taken };
}

const told = (load: Load | undefined) =>
  load
    ? `${(100 * load.cpu).toFixed(0)} % of a core, ${load.pss.toFixed(0)} MB, p50 ${quantile(load.latenciesMs, 0.5).toFixed(0)} ms, missed ${load.missed}`
    : '';
