import { startStockWorker } from '../baselines/stock.ts';
import type { DoorAddress } from '../clients/doors.ts';
import type { Taken } from '../clients/turns.ts';
import { delays } from '../providers/delays.ts';
import type { Measured, Row, RowOptions } from '../row.ts';
import { figureOf, oneFigure, quantile } from '../statistics.ts';
import { type Callers, endpointingMs, noCallers, startCallers, startVoiceWorld } from '../voice-world.ts';

const sizes = { full: { sessions: 4, turns: 15, bursts: 20 }, smoke: { sessions: 1, turns: 1, bursts: 2 } };
const everyMs = 6_000;
/** A second of sound. */
const reply = 'From ten to five.';

/** What the design waits for: the silence that ends the turn, then each provider in turn. */
const designedMs = endpointingMs + delays.recognitionMs + delays.modelMs + delays.synthesisMs;

/** From the last sound of the person to the first of the answer, as the person hears it. */
export const voiceLatency: Row = {
  name: 'voice-latency',
  title: "Voice: from the end of speech to the answer's first sound",
  against: `the times that cannot be avoided: ${designedMs} ms of endpointing and providers; and the stock worker`,
  limitMinutes: 30,
  missing: noCallers,
  run: async (options) => {
    await using world = await startVoiceWorld({ reply });
    await using stock = await startStockWorker(world, { idleProcesses: 2, providersUrl: world.providersUrl });
    await world.startVoiceHost();
    const ours = { kind: 'parley', ...(await world.startApi()) } as const;
    return await measure({ ours, stock: stock.door }, options);
  },
};

type Doors = Record<'ours' | 'stock', DoorAddress>;
type Size = (typeof sizes)['full'];

async function measure(doors: Doors, { pairs, smoke, say }: RowOptions): Promise<Measured> {
  const size = smoke ? sizes.smoke : sizes.full;
  const rounds = { ours: [] as Taken[], stock: [] as Taken[], legs: [] as number[][] };
  for (let pair = 0; pair < pairs; pair += 1) {
    await using callers = await startCallers();
    if (doors.stock.kind === 'stock')
      rounds.legs.push((await callers.call('transport', { door: doors.stock, bursts: size.bursts })).legMs);
    rounds.stock.push(await conversations(callers, doors.stock, size));
    rounds.ours.push(await conversations(callers, doors.ours, size));
    const p50 = (sample: number[] | undefined) => quantile(sample ?? [], 0.5).toFixed(0);
    say(
      `ours ${p50(rounds.ours.at(-1)?.latenciesMs)} ms, stock ${p50(rounds.stock.at(-1)?.latenciesMs)} ms, sound alone ${p50(rounds.legs.at(-1))} ms`,
    );
  }
  const at = (of: Taken[], share: number) => of.map(({ latenciesMs }) => quantile(latenciesMs, share));
  const ways = rounds.legs.map((legs) => 2 * quantile(legs, 0.5));
  const added = (share: number) => at(rounds.ours, share).map((ms, round) => ms - designedMs - (ways[round] ?? 0));
  const missed = (of: Taken[]) => of.reduce((sum, round) => sum + round.missed, 0);
  return {
    figures: [
      figureOf({ name: 'added by the product, p95', unit: 'ms', target: { text: '≤ 60 ms', atMost: 60 } }, added(0.95)),
      figureOf({ name: 'added by the product, p50', unit: 'ms' }, added(0.5)),
      figureOf({ name: 'the two ways of the sound, p50', unit: 'ms' }, ways),
      figureOf({ name: 'end of speech to first sound, p50', unit: 'ms' }, at(rounds.ours, 0.5)),
      figureOf({ name: 'end of speech to first sound, p95', unit: 'ms' }, at(rounds.ours, 0.95)),
      figureOf({ name: 'stock, end of speech to first sound, p50', unit: 'ms' }, at(rounds.stock, 0.5)),
      figureOf({ name: 'stock, end of speech to first sound, p95', unit: 'ms' }, at(rounds.stock, 0.95)),
      oneFigure({ name: 'turns missed, ours', unit: 'turns', target: { text: '0', atMost: 0 } }, missed(rounds.ours)),
      oneFigure({ name: 'turns missed, stock', unit: 'turns' }, missed(rounds.stock)),
    ],
    notes: [
      `Added by the product is what is left of the time without ${designedMs} ms (${endpointingMs} of silence that ends the turn, recognition ${delays.recognitionMs}, model ${delays.modelMs}, synthesis ${delays.synthesisMs}) and without the two ways of the sound: to the agent and back, through the room server and a jitter buffer each. A way is measured in the same round, from one client to another in a room without an agent.`,
      `Ours recognises in the pause before the turn's end and asks the model there, so that the ${delays.recognitionMs} ms of recognition and up to ${endpointingMs - delays.recognitionMs - 200} ms of the model pass within the silence: counted without that credit, it adds so much more. About 50 ms of what it adds are voice detection, which hears speech for so long after its end.`,
      `${size.sessions} sessions a round and side, ${size.turns} turns each, one every ${everyMs / 1000} s at fixed times; new sessions every round. Moments are those of samples leaving the microphone and leaving the jitter buffer, by one clock.`,
    ],
  };
}

async function conversations(callers: Callers, door: DoorAddress, { sessions, turns }: Size): Promise<Taken> {
  await callers.call('enter', { door, count: sessions });
  await callers.call('takeTurns', { turns: 1, everyMs });
  const taken = await callers.call('takeTurns', { turns, everyMs });
  await callers.call('leaveAll', undefined);
  return taken;
}
