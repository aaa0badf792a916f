import { expect, test } from 'vitest';
import { makeLogger } from '../../../../process/logger.ts';
import { piecesOf, piperVoice } from './piper-voice.ts';

const logger = makeLogger({ service: 'test', level: 'silent' });

test('the first piece of a long sentence is short, so that it is heard while the rest is made', () => {
  expect(
    piecesOf(
      'With pleasure, Mrs Miller: a table for four people on Friday, at half past seven, and a high chair for your son.',
    ),
  ).toEqual([
    'With pleasure, Mrs Miller:',
    'a table for four people on Friday, at half past seven, and a high chair for your son.',
  ]);
});

test('what is short is said in one breath', () => {
  expect(piecesOf('Yes, please.')).toEqual(['Yes, please.']);
  expect(piecesOf('Until 19:30, or 8.5 hours.')).toEqual(['Until 19:30, or 8.5 hours.']);
});

/** Who says what: the natural voice as told, espeak-ng otherwise. */
function voiceThat(say: (phonemes: string) => Promise<number>) {
  const byEspeak: string[] = [];
  const voice = piperVoice({
    natural: {
      say: async (_who, { phonemes }) => ({ samples: Buffer.alloc(882, await say(phonemes)), sampleRate: 22_050 }),
    },
    espeak: {
      ipa: async (text) => text,
      async *speak({ text }) {
        byEspeak.push(text);
        yield Buffer.alloc(882, 9);
      },
    },
    logger,
    name: 'en_US-joe-medium',
    folder: '',
    language: 'en',
    speed: 1,
  });
  const hear = async (text: string) => {
    const heard: number[] = [];
    for await (const { data } of voice.speak(text, new AbortController().signal)) heard.push((data[0] ?? 0) & 0xff);
    return heard;
  };
  return { byEspeak, hear };
}

test('what a natural voice cannot say espeak-ng says from there on', async () => {
  const { byEspeak, hear } = voiceThat(async (phonemes) => {
    if (phonemes.includes('Friday')) throw new Error('the engine died');
    return 1;
  });
  const said =
    'With pleasure, Mrs Miller: a table for four people on Friday, at half past seven, and a high chair too.';
  expect(await hear(said)).toEqual([1, 9]);
  expect(byEspeak).toEqual(['a table for four people on Friday, at half past seven, and a high chair too.']);
});

test('espeak-ng waits for no engine that stalls', async () => {
  const { byEspeak, hear } = voiceThat(() => new Promise(() => undefined));
  expect(await hear('Yes, please.')).toEqual([9]);
  expect(byEspeak).toEqual(['Yes, please.']);
});
