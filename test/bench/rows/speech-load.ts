import { setTimeout as pause } from 'node:timers/promises';
import { AudioFrame } from '@livekit/rtc-node';
import type { Speech } from '../../../services/agent/speech/speech.ts';
import { type RecordedVoice, saidByRecordedVoice } from '../../support/people/recorded-voices.ts';
import { joined, microphoneRate, noise } from '../../support/people/speech-sound.ts';
import { type Figure, isMet, type Measured, type Row, type RowOptions } from '../row.ts';
import { type BenchEngines, openBenchEngines, saidBy } from '../speech/engines.ts';
import { heldOut } from '../speech/sentences.ts';
import { oneFigure, quantile } from '../statistics.ts';

/** Each says something every ten seconds, and is answered by a sentence. */
const everyMs = 10_000;
const steps = { full: { conversations: [1, 4, 8, 12, 16], turns: 2 }, smoke: { conversations: [1], turns: 1 } };
/** Of the time from the end of an utterance to its words, and from a sentence to its first sound: more is heard as slowness. */
const heardWithin = { text: '≤ 1000 ms', atMost: 1_000 };
const saidWithin = { text: '≤ 600 ms', atMost: 600 };
const reply = 'A table for two on Friday at half past seven, and we keep it for fifteen minutes.';

/** How many conversations one host's engines serve. */
export const speechLoad: Row = {
  name: 'speech-load',
  title: 'Speech on this machine: conversations that one host’s engines serve',
  against: 'one conversation on the same engines',
  limitMinutes: 15,
  run: measure,
};

interface Turn {
  heardMs: number;
  firstSoundMs: number;
}

async function measure({ smoke, say }: RowOptions): Promise<Measured> {
  const engines = await openBenchEngines(say);
  const { conversations, turns } = smoke ? steps.smoke : steps.full;
  const sounds: Int16Array[] = [];
  for (const [at, text] of heldOut.slice(0, 8).entries()) {
    const voice: RecordedVoice = at % 2 ? 'slt' : 'rms';
    sounds.push(joined(noise(400, 30), await saidByRecordedVoice(text, voice), noise(300, 30)));
  }
  await oneTurn(engines.natural, sounds[0] ?? noise(1_000));
  const figures: Figure[] = [];
  let served = 0;
  for (const count of conversations) {
    const all = await together(engines, { count, turns, sounds });
    const heard = quantile(
      all.map(({ heardMs }) => heardMs),
      0.95,
    );
    const said = quantile(
      all.map(({ firstSoundMs }) => firstSoundMs),
      0.95,
    );
    say(`${count}: words after ${heard.toFixed(0)} ms, first sound after ${said.toFixed(0)} ms at p95`);
    figures.push(oneFigure({ name: `words of ${count}, p95`, unit: 'ms' }, heard));
    figures.push(oneFigure({ name: `first sound for ${count}, p95`, unit: 'ms' }, said));
    if (!isMet(heard, heardWithin) || !isMet(said, saidWithin)) break;
    served = count;
  }
  await engines.close();
  return { figures: [oneFigure({ name: 'conversations served', unit: 'conversations' }, served), ...figures], notes };
}

const notes = [
  `Conversations begin one after another within ${everyMs / 1_000} s, and each has a turn every ${everyMs / 1_000} s: a sentence of 3 to 4 s to Whisper (one thread), and one of ${reply.split(' ').length} words from Piper (two threads). Served are as many as have their words within ${heardWithin.atMost} ms of the whole utterance and a first sound within ${saidWithin.atMost} ms at p95; the row ends with the first number that has not, or with 16.`,
  'Without words so far, voice detection, model and room server, which take cores of their own (voice-density, voice-ramp).',
];

interface Load {
  count: number;
  turns: number;
  sounds: readonly Int16Array[];
}

async function together(engines: BenchEngines, { count, turns, sounds }: Load): Promise<Turn[]> {
  const began = performance.now();
  const talkers = Array.from({ length: count }, async (_, number) => {
    const speech = await engines.openNatural();
    const done: Turn[] = [];
    for (let turn = 0; turn < turns; turn += 1) {
      await pause(Math.max(0, began + everyMs * (turn + number / count) - performance.now()));
      done.push(await oneTurn(speech, sounds[(number + turn) % sounds.length] ?? noise(1_000)));
    }
    await speech.close();
    return done;
  });
  return (await Promise.all(talkers)).flat();
}

async function oneTurn(speech: Speech, sound: Int16Array): Promise<Turn> {
  const began = performance.now();
  await speech.stt.recognize(new AudioFrame(sound, microphoneRate, 1, sound.length));
  const heardMs = performance.now() - began;
  let firstSoundMs = 0;
  await saidBy(speech, reply, (ms) => {
    firstSoundMs = ms;
  });
  return { heardMs, firstSoundMs };
}
