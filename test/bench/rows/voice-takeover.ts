import { settlingMs } from '../../../services/core/hosts/death-watch.ts';
import { sleep } from '../../../services/process/sleep.ts';
import type { Survived } from '../clients/callers.ts';
import type { DoorAddress } from '../clients/doors.ts';
import { delays } from '../providers/delays.ts';
import type { Measured, Row, RowOptions } from '../row.ts';
import { figureOf, oneFigure } from '../statistics.ts';
import { noCallers, startCallers, startVoiceWorld, type VoiceWorld } from '../voice-world.ts';

const sizes = { full: { kills: 3 }, smoke: { kills: 1 } };
const reply = Array.from({ length: 6 }, (_, at) => `This is sentence number ${at + 1} of a long story. `).join('');

type Successor = 'warm' | 'cold';

/** The host is killed while it speaks: when the person hears the agent again. */
export const voiceTakeover: Row = {
  name: 'voice-takeover',
  title: 'Voice: the host is killed in a call',
  against: 'the stock worker, whose call is never heard again',
  limitMinutes: 30,
  missing: noCallers,
  run: async (options) => {
    await using world = await startVoiceWorld({ reply });
    // As in every installation: it proves the death of the last host, too.
    await world.startWorker();
    // Nobody is declared dead before that.
    await sleep(settlingMs);
    return await measure(world, { kind: 'parley', ...(await world.startApi()) }, options);
  },
};

async function measure(world: VoiceWorld, door: DoorAddress, { pairs, smoke, say }: RowOptions): Promise<Measured> {
  const { kills } = smoke ? sizes.smoke : sizes.full;
  const results: Record<Successor, Survived[]> = { warm: [], cold: [] };
  const unheardMs: number[] = [];
  let lost = 0;
  for (let round = 0; round < pairs * kills; round += 1) {
    const unheard = await oneKillOfAListener(world, door);
    if (unheard === undefined) lost += 1;
    else unheardMs.push(unheard);
    say(`of a question: ${unheard === undefined ? 'no answer' : `${unheard} ms of speech unheard`}`);
    for (const successor of ['warm', 'cold'] as const) {
      const survived = await oneKill(world, door, successor);
      if (survived) results[successor].push(survived);
      else lost += 1;
      say(`${successor}: ${survived ? `sound again after ${survived.soundAgainMs.toFixed(0)} ms` : 'lost'}`);
    }
  }
  const seconds = (of: Successor, what: keyof Survived) => results[of].map((survived) => survived[what] / 1000);
  return {
    figures: [
      figureOf(
        { name: 'sound again, warm', unit: 's', target: { text: '≤ 0.6 s', atMost: 0.6 } },
        seconds('warm', 'soundAgainMs'),
      ),
      figureOf(
        { name: 'sound again, cold', unit: 's', target: { text: '≤ 1.2 s', atMost: 1.2 } },
        seconds('cold', 'soundAgainMs'),
      ),
      figureOf({ name: 'silence that the person hears, warm', unit: 's' }, seconds('warm', 'silenceMs')),
      figureOf({ name: 'silence that the person hears, cold', unit: 's' }, seconds('cold', 'silenceMs')),
      figureOf(
        { name: 'speech from the kill on that nobody hears, warm', unit: 's' },
        unheardMs.map((ms) => ms / 1_000),
      ),
      oneFigure({ name: 'calls lost', unit: 'calls', target: { text: '0', atMost: 0 } }, lost),
    ],
    notes: [
      `${pairs * kills} kills (SIGKILL, while the agent speaks) of each kind, and as many in the middle of the person's question, whose words are counted by what reaches the recogniser. Warm: another host is up. Cold: none is, and one is started when the killed one is gone. A worker is up, as in every installation.`,
      `The successor goes on from the kept words: ${delays.synthesisMs} ms of each figure are the synthesis, and ${delays.modelMs} ms the model, where it had not finished.`,
    ],
  };
}

async function oneKill(world: VoiceWorld, door: DoorAddress, successor: Successor): Promise<Survived | null> {
  const host = await world.startVoiceHost();
  await using callers = await startCallers();
  await callers.call('enter', { door, count: 1 });
  const starting = successor === 'warm' ? world.startVoiceHost() : host.exited.then(() => world.startVoiceHost());
  if (successor === 'warm') await starting;
  const survived = await callers.call('killSpeaker', { pid: host.pid });
  await callers.call('leaveAll', undefined);
  await (await starting).stop();
  return survived;
}

/** How much of a question that goes on over the kill reaches nobody, in milliseconds of speech; undefined: it was never answered. */
async function oneKillOfAListener(world: VoiceWorld, door: DoorAddress): Promise<number | undefined> {
  const host = await world.startVoiceHost();
  await using callers = await startCallers();
  await callers.call('enter', { door, count: 1 });
  const successor = await world.startVoiceHost();
  await world.providers.call('takeCounts', undefined);
  const { saidMs, answered } = await callers.call('killListener', { pid: host.pid });
  const { heardMs } = await world.providers.call('takeCounts', undefined);
  await callers.call('leaveAll', undefined);
  await successor.stop();
  return answered ? Math.max(0, saidMs - heardMs) : undefined;
}
