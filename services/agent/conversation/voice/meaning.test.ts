import { describe, expect, test } from 'vitest';
import { isMeant } from './meaning.ts';

const telling = { ahead: 'and on Sunday we open at ten. Shall I book a table?', minWords: 0 };
const asking = { ahead: 'table for two?', minWords: 0 };

describe('words over the agent', () => {
  test.each(['Mm-hm.', 'mhm', 'Okay', 'yeah, right', 'Ja', 'genau', 'Hm'])('"%s" is how a person listens', (text) => {
    expect(isMeant(text, telling)).toBe(false);
  });

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
});
