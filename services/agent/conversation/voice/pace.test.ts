import { describe, expect, test } from 'vitest';
import { Pace } from './pace.ts';

describe('the words that are heard', () => {
  test('are spread evenly over the sound of their sentence', () => {
    const pace = new Pace();
    pace.addText('aaaa bbbb cccc dddd. Eeee ffff.');
    pace.markText('aaaa bbbb cccc dddd. ');
    pace.addSound(1_700);
    pace.markText('Eeee ffff.');
    pace.addSound(900);
    pace.end();
    expect(pace.heardAt(0)).toBe('');
    expect(pace.heardAt(100)).toBe('aaaa ');
    expect(pace.heardAt(790)).toBe('aaaa bbbb ');
    expect(pace.heardAt(1_690)).toBe('aaaa bbbb cccc dddd. ');
    expect(pace.heardAt(1_800)).toBe('aaaa bbbb cccc dddd. Eeee ');
    expect(pace.heardAt(2_600)).toBe('aaaa bbbb cccc dddd. Eeee ffff.');
  });

  test('of a line that was put first come before the others, which begin where their sound does', () => {
    const pace = new Pace();
    pace.addText('aaaa bbbb.');
    pace.putFirst('Cccc dddd. ', 900);
    expect(pace.heardAt(500)).toBe('Cccc dddd. ');
    expect(pace.heardAt(900)).toBe('Cccc dddd. ');
    pace.markText('aaaa bbbb.');
    pace.addSound(900);
    pace.end();
    expect(pace.heardAt(800)).toBe('Cccc dddd. ');
    expect(pace.heardAt(1_000)).toBe('Cccc dddd. aaaa ');
    expect(pace.heardAt(1_800)).toBe('Cccc dddd. aaaa bbbb.');
  });

  test('never run ahead into a sentence that has no sound yet', () => {
    const pace = new Pace();
    pace.addText('One. Two three four five six seven eight nine ten.');
    pace.markText('One. ');
    pace.addSound(200);
    expect(pace.heardAt(10_000)).toBe('One. ');
  });

  test('are guessed, and slowly, from a voice that does not tell where it is', () => {
    const pace = new Pace();
    pace.addText('Monday Tuesday Wednesday Thursday Friday Saturday');
    pace.addSound(10_000);
    expect(pace.heardAt(1_000)).toBe('Monday Tuesday ');
  });

  test('are all of them when all of the sound was heard, whatever was counted', () => {
    const pace = new Pace();
    pace.addText('It is ½ past two.');
    pace.markText('It is half past two, and more than was written.');
    pace.addSound(1_000);
    pace.end();
    expect(pace.heardAt(1_000)).toBe('It is ½ past two.');
  });
});

test('a stretch of sound begins where it was marked', () => {
  const pace = new Pace();
  pace.markText('One.');
  pace.addSound(400);
  pace.markText('Two.');
  pace.addSound(400);
  expect([pace.stretchAt(399), pace.stretchAt(400), pace.stretchAt(700)]).toEqual([0, 400, 400]);
});
