import { settlingMs } from '../../../services/core/hosts/death-watch.ts';
import { sleep } from '../../../services/process/sleep.ts';
import { eventually } from '../../support/eventually.ts';
import { Customer } from '../../support/people/customer.ts';
import { Person } from '../../support/people/person.ts';
import type { DoorAddress } from '../clients/doors.ts';
import { delays } from '../providers/delays.ts';
import type { Measured, Row, RowOptions } from '../row.ts';
import { figureOf, oneFigure } from '../statistics.ts';
import { startVoiceWorld, type VoiceWorld } from '../voice-world.ts';

const sizes = { full: { kills: 3 }, smoke: { kills: 1 } };
/** A conversation that is not gone on with by then is lost. */
const lostAfterMs = 30_000;

type Successor = 'warm' | 'cold';
type Door = Pick<Extract<DoorAddress, { kind: 'parley' }>, 'baseUrl' | 'apiKey'>;

/** The host is killed while the model thinks about a text: when the person reads the agent again. */
export const textTakeover: Row = {
  name: 'text-takeover',
  title: 'Text: the host is killed while a text is answered',
  against: 'a fixed limit',
  limitMinutes: 20,
  run: async (options) => {
    await using world = await startVoiceWorld({ reply: 'This is the whole answer.' });
    // As in every installation: it proves the death of the last host, too.
    await world.startWorker();
    // Nobody is declared dead before that.
    await sleep(settlingMs);
    return await measure(world, await world.startApi(), options);
  },
};

async function measure(world: VoiceWorld, door: Door, { pairs, smoke, say }: RowOptions): Promise<Measured> {
  const { kills } = smoke ? sizes.smoke : sizes.full;
  const again: Record<Successor, number[]> = { warm: [], cold: [] };
  let lost = 0;
  for (let round = 0; round < pairs * kills; round += 1) {
    for (const successor of ['warm', 'cold'] as const) {
      const ms = await oneKill(world, door, successor);
      if (ms === undefined) lost += 1;
      else again[successor].push(ms / 1_000);
      say(`${successor}: ${ms === undefined ? 'lost' : `words again after ${ms.toFixed(0)} ms`}`);
    }
  }
  const figure = (successor: Successor) =>
    figureOf({ name: `words again, ${successor}`, unit: 's', target: { text: '≤ 1 s', atMost: 1 } }, again[successor]);
  return {
    figures: [
      figure('warm'),
      figure('cold'),
      oneFigure({ name: 'texts that were never answered', unit: 'texts', target: { text: '0', atMost: 0 } }, lost),
    ],
    notes: [
      `${pairs * kills} kills (SIGKILL, once the model was asked) of each kind. Warm: another host is up. Cold: none is, and one is started when the killed one is gone. A worker is up, as in every installation.`,
      `From the kill to the first words that the person's client has of the answer. The successor asks the model anew: ${delays.modelMs} ms of each figure are the model.`,
    ],
  };
}

/** Milliseconds from the kill to the first words after it; undefined: they never came. */
async function oneKill(
  world: VoiceWorld,
  { baseUrl, apiKey }: Door,
  successor: Successor,
): Promise<number | undefined> {
  const host = await world.startVoiceHost();
  const customer = new Customer(baseUrl, apiKey);
  const session = await eventually('a session', () => customer.createSession({ interactionMode: 'TEXT' }));
  await using person = await Person.join(session);
  await person.ask('Are you there?');
  const starting = successor === 'warm' ? world.startVoiceHost() : host.exited.then(() => world.startVoiceHost());
  if (successor === 'warm') await starting;
  await world.providers.call('takeCounts', undefined);
  await person.write('And what is the answer?');
  await eventually('the model is asked', isAsked(world), { everyMs: 5 });
  process.kill(host.pid, 'SIGKILL');
  const killedAt = performance.now();
  const answer = await eventually(
    'words again',
    () => person.replies.find(({ firstChunkAt }) => firstChunkAt > killedAt),
    { withinMs: lostAfterMs, everyMs: 5 },
  ).catch(() => undefined);
  await customer.endSession(session.sessionId);
  await (await starting).stop();
  return answer && answer.firstChunkAt - killedAt;
}

/** A model that has been asked has not answered yet: it takes its time. */
const isAsked =
  ({ providers }: VoiceWorld) =>
  async () =>
    (await providers.call('takeCounts', undefined)).completions > 0;
