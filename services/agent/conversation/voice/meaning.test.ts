import { describe, expect, test } from 'vitest';
import { isMeant } from './meaning.ts';

const telling = { ahead: 'and on Sunday we open at ten. Shall I book a table?', minWords: 0 };
const asking = { ahead: 'table for two?', minWords: 0 };

describe('words over the agent', () => {
  test.each(['Mm-hm.', 'mhm', 'MNHM.', 'Mm-hmm, okay.', 'Okay', 'yeah, right', 'Ja', 'genau', 'Hm'])(
    '"%s" is how a person listens',
    (text) => {
      expect(isMeant(text, telling)).toBe(false);
    },
  );

  test.each(['yeah', 'Ja', 'okay'])('"%s" answers the question that is being asked', (text) => {
    expect(isMeant(text, asking)).toBe(true);
  });

  test.each(['stop', 'No!', 'wait a second', 'I would rather come on Monday', 'nein', 'and on Monday?'])(
    '"%s" is meant',
    (text) => {
      expect(isMeant(text, telling)).toBe(true);
    },
  );

  test('no words are not meant', () => {
    expect(isMeant('', telling)).toBe(false);
    expect(isMeant(' … ', asking)).toBe(false);
  });

  test('fewer words than the agent asks for are not, but for those that stop anybody', () => {
    expect(isMeant('on Monday', { ...telling, minWords: 3 })).toBe(false);
    expect(isMeant('stop', { ...telling, minWords: 3 })).toBe(true);
    expect(isMeant('no not on Monday', { ...telling, minWords: 3 })).toBe(true);
  });

  test('words are counted in scripts that put no spaces between them', () => {
    expect(isMeant('星期一不行，星期二可以吗', { ...telling, minWords: 4 })).toBe(true);
    expect(isMeant('月曜日に変えてください', { ...telling, minWords: 3 })).toBe(true);
    expect(isMeant('ขอเปลี่ยนเป็นวันจันทร์', { ...telling, minWords: 3 })).toBe(true);
    expect(isMeant('星期一', { ...telling, minWords: 4 })).toBe(false);
    expect(isMeant('等一下', { ...telling, minWords: 4 })).toBe(true);
  });

  test.each([
    ['zh', '嗯嗯'],
    ['zh-CN', '好的。'],
    ['ja', 'はい、はい'],
    ['ja', 'そうですね'],
    ['ko', '네'],
    ['ru', 'Да, угу.'],
    ['it', 'va bene'],
    ['hi', 'ठीक है'],
  ])('in %s "%s" is how a person listens, and an answer to a question', (language, text) => {
    expect(isMeant(text, { ...telling, language })).toBe(false);
    expect(isMeant(text, { ...asking, language })).toBe(true);
  });

  test('a word by which people listen in one language is meant in another', () => {
    expect(isMeant('da', { ...telling, language: 'en' })).toBe(true);
    expect(isMeant('klar', { ...telling, language: 'de-AT' })).toBe(false);
    expect(isMeant('klar', { ...telling, language: 'en' })).toBe(true);
    expect(isMeant('klar', telling)).toBe(false);
  });
});
