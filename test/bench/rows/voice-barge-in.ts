import type { BackChannels, Interrupted } from '../clients/callers.ts';
import type { DoorAddress } from '../clients/doors.ts';
import { soundMsOf } from '../providers/delays.ts';
import type { Measured, Row, RowOptions } from '../row.ts';
import { figureOf, oneFigure, quantile } from '../statistics.ts';
import { noCallers, startCallers, startVoiceWorld, type VoiceWorld } from '../voice-world.ts';

const sizes = { full: { sessions: 2, trials: 20 }, smoke: { sessions: 1, trials: 1 } };
/** Half a minute of sound. */
const reply = Array.from(
  { length: 10 },
  (_, at) => `This is sentence number ${at + 1}, and there are more of them. `,
).join('');

/** A person speaks over the agent: how soon it is silent, and what a mere "mm-hm" costs. */
export const voiceBargeIn: Row = {
  name: 'voice-barge-in',
  title: 'Voice: the person speaks over the agent',
  against: 'the best figure of tau-voice: 0.42 s',
  limitMinutes: 40,
  missing: noCallers,
  run: async (options) => {
    await using world = await startVoiceWorld({ reply });
    await world.startVoiceHost();
    return await measure(world, { kind: 'parley', ...(await world.startApi()) }, options);
  },
};

interface Round {
  interrupted: Interrupted;
  along: BackChannels;
  /** Answers that the model was asked for because of an "mm-hm". */
  answered: number;
}

async function measure(world: VoiceWorld, door: DoorAddress, { pairs, smoke, say }: RowOptions): Promise<Measured> {
  const size = smoke ? sizes.smoke : sizes.full;
  const rounds: Round[] = [];
  for (let round = 0; round < pairs; round += 1) {
    const done = await oneRound(world, door, size);
    rounds.push(done);
    say(
      `silent after ${mean(done.interrupted.silenceAfterMs).toFixed(0)} ms, ignored ${done.interrupted.ignored}; an "mm-hm" costs ${quantile(done.along.pausesMs, 0.5).toFixed(0)} ms, silenced ${done.along.silenced}`,
    );
  }
  const silences = rounds.map(({ interrupted }) => interrupted.silenceAfterMs);
  const pauses = rounds.map(({ along }) => along.pausesMs);
  const all = silences.flat().length + sum(rounds.map(({ interrupted }) => interrupted.ignored));
  return {
    figures: [
      figureOf(
        { name: 'start of speech to silence, mean', unit: 's', target: { text: '≤ 0.40 s', atMost: 0.4 } },
        silences.map((round) => mean(round) / 1000),
      ),
      oneFigure(
        { name: 'times it fell silent', unit: 'of all', target: { text: '≥ 0.99', atLeast: 0.99 } },
        silences.flat().length / all,
      ),
      figureOf(
        { name: 'start of speech to silence, p95', unit: 's' },
        silences.map((round) => quantile(round, 0.95) / 1000),
      ),
      figureOf(
        { name: 'pause by an "mm-hm", longest', unit: 's', target: { text: '≤ 0.5 s', atMost: 0.5 } },
        pauses.map((round) => Math.max(...round) / 1000),
      ),
      figureOf(
        { name: 'pause by an "mm-hm", p50', unit: 's' },
        pauses.map((round) => quantile(round, 0.5) / 1000),
      ),
      oneFigure(
        { name: 'sentences lost to an "mm-hm"', unit: 'sentences', target: { text: '0', atMost: 0 } },
        sum(rounds.map(({ along, answered }) => along.silenced + answered)),
      ),
      oneFigure({ name: 'interruptions', unit: 'trials' }, all),
      oneFigure({ name: '"mm-hm"s', unit: 'trials' }, pauses.flat().length),
    ],
    notes: [
      `${size.sessions} sessions a round, each with ${size.trials} interruptions and as many "mm-hm"s (0.3 s of speech), begun when the agent had been heard for 1.5 s. Measured on what the person hears, in slices of 10 ms: from the first sample of speech that leaves the microphone to the last loud slice before 0.4 s of silence; the pause is the longest row of silent slices within 2 s.`,
      'The agent says a tone without gaps, so every gap was made by the agent or on the way. Recognition takes speech of less than 0.45 s for "mm-hm"; there is none in the last 3 s of an answer, which ends by itself.',
    ],
  };
}

async function oneRound(world: VoiceWorld, door: DoorAddress, { sessions, trials }: (typeof sizes)['full']) {
  await using callers = await startCallers();
  await callers.call('enter', { door, count: sessions });
  const interrupted = await callers.call('interrupt', { trials });
  await callers.call('leaveAll', undefined);
  await callers.call('enter', { door, count: sessions });
  await world.providers.call('takeCounts', undefined);
  const along = await callers.call('listenAlong', { trials, replyMs: soundMsOf(reply) });
  const { completions } = await world.providers.call('takeCounts', undefined);
  await callers.call('leaveAll', undefined);
  return { interrupted, along, answered: completions - along.asked };
}

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
const mean = (values: readonly number[]) => sum(values) / values.length;
