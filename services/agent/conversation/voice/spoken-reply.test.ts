import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { type Speaker, speakerRate } from '../../room/speaker.ts';
import { SpokenReply } from './spoken-reply.ts';
import type { SpokenPiece, VoiceStream } from './synthesis.ts';

const soundOf = (ms: number) => new Int16Array((speakerRate * ms) / 1_000);

/** A voice whose sound the test makes. */
function aVoice() {
  const pieces: SpokenPiece[] = [];
  let isOver = false;
  let more = Promise.withResolvers<void>();
  const tell = () => {
    more.resolve();
    more = Promise.withResolvers();
  };
  const stream: VoiceStream = {
    ...{ say: () => undefined, sayNow: () => undefined, end: () => undefined, stop: () => undefined },
    async *[Symbol.asyncIterator]() {
      for (;;) {
        const piece = pieces.shift();
        if (piece) yield piece;
        else if (isOver) return;
        else await more.promise;
      }
    },
  };
  const speak = (piece: SpokenPiece) => {
    pieces.push(piece);
    tell();
  };
  const end = () => {
    isOver = true;
    tell();
  };
  return { stream, speak, end };
}

function aReply() {
  const voice = aVoice();
  const told = { words: [] as string[], playedMs: 0, failed: 0 };
  const speaker = {
    ...{ queuedMs: 0, clear: () => undefined, listenedTo: async () => undefined },
    play: async (samples: Int16Array) => {
      told.playedMs += (samples.length * 1_000) / speakerRate;
      await setImmediate();
    },
  } as unknown as Speaker;
  const reply = new SpokenReply({
    speaker: async () => speaker,
    openVoice: async () => voice.stream,
    maySpeak: async () => 'yes',
    onHeard: (words) => told.words.push(words),
    onFailure: () => {
      told.failed += 1;
    },
  });
  return { reply, voice, told };
}

const filler = [soundOf(400), soundOf(200)];

test('a line whose sound is there is heard before words whose sound is late', async () => {
  const { reply, voice, told } = aReply();
  reply.say('Good day.');
  const played = reply.play();
  reply.end();
  expect(reply.sayFirst('One moment. ', filler)).toBe(true);
  voice.speak({ samples: soundOf(300), begins: 'Good day.' });
  voice.end();
  await played;
  expect([told.words.join(''), Math.round(told.playedMs), told.failed]).toEqual(['One moment. Good day.', 900, 0]);
});

test('it is not said once there is sound of the words, nor while the person has the floor', async () => {
  const { reply, voice } = aReply();
  reply.say('Good day.');
  reply.hold();
  expect(reply.sayFirst('One moment. ', filler)).toBe(false);
  reply.release();
  voice.speak({ samples: soundOf(300), begins: 'Good day.' });
  for (let turn = 0; turn < 10; turn += 1) await setImmediate();
  expect(reply.sayFirst('One moment. ', filler)).toBe(false);
  reply.stop();
});

test('a voice that makes no sound after it has failed', async () => {
  const { reply, voice, told } = aReply();
  reply.say('Good day.');
  const played = reply.play();
  reply.end();
  reply.sayFirst('One moment. ', filler);
  voice.end();
  await played;
  expect([told.words.join(''), told.failed]).toEqual(['One moment. Good day.', 1]);
});
