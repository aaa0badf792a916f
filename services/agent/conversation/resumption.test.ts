import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { resumptionOf, withoutRepetition } from './resumption.ts';

const story = 'Once there was a miller. He had three sons. The first one took the mill.';
const draft = (told: number, complete: boolean, content = story) => ({ segment: 'seg', content, told, complete });

describe('a reply that a former host had begun to say', () => {
  test('goes on aloud with the sentence that was not heard to its end', () => {
    const told = story.indexOf('three');
    expect(resumptionOf(draft(told, true), 'VOICE')).toEqual({
      heard: 'Once there was a miller. ',
      words: 'He had three sons. The first one took the mill.',
      isOpen: false,
    });
  });

  test('is given again in writing from its beginning', () => {
    expect(resumptionOf(draft(30, true), 'TEXT')).toEqual({ heard: '', words: story, isOpen: false });
  });

  test('of which the model had said only a part is said up to its last whole sentence, then the model goes on', () => {
    const content = 'Once there was a miller. He had three so';
    expect(resumptionOf(draft(10, false, content), 'VOICE')).toEqual({
      heard: '',
      words: 'Once there was a miller. ',
      isOpen: true,
    });
  });

  test('without a whole sentence is thought anew', () => {
    expect(resumptionOf(draft(3, false, 'Once there was'), 'VOICE')).toBeUndefined();
    expect(resumptionOf(draft(0, true, ''), 'TEXT')).toBeUndefined();
  });

  test('loses no word and repeats none that was heard before its last sentence, wherever it was cut', () => {
    const sentence = fc.constantFrom(
      'Yes. ',
      'How are you? ',
      'We have two tables left! ',
      '好的。',
      'Wait … ',
      'and so on ',
    );
    const contents = fc.array(sentence, { minLength: 1, maxLength: 8 }).map((all) => all.join(''));
    fc.assert(
      fc.property(contents, fc.nat(200), fc.boolean(), (content, told, complete) => {
        const resumption = resumptionOf(draft(Math.min(told, content.length), complete, content), 'VOICE');
        if (!resumption) return;
        const { heard, words } = resumption;
        expect(content.startsWith(heard + words)).toBe(true);
        if (complete) expect(heard + words).toBe(content);
        expect(heard.length).toBeLessThanOrEqual(Math.min(told, content.length));
      }),
    );
  });
});

describe('a model that is asked to go on', () => {
  const newOf = (said: string, pieces: string[]) => {
    const filter = withoutRepetition(said);
    return pieces.map(filter).join('');
  };

  test('and goes on is heard at once', () => {
    expect(newOf('Once there was a miller. ', ['He', ' had', ' three sons.'])).toBe('He had three sons.');
  });

  test('and begins from the beginning is heard from where it had been', () => {
    expect(newOf('Once there was a miller. ', ['Once there', ' was a mil', 'ler. He had', ' three sons.'])).toBe(
      'He had three sons.',
    );
  });

  test('and begins with the same words, to say something else, is heard whole', () => {
    expect(newOf('Once there was a miller. ', ['Once', ' more.'])).toBe('Once more.');
  });
});
