import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { ar } from './ar.ts';
import { de } from './de.ts';
import { en } from './en.ts';
import { es } from './es.ts';
import { fr } from './fr.ts';
import { directionOf, filled, localized, textsFor } from './texts.ts';

const languages = { de, es, fr, ar };

test.for(Object.entries(languages))('%s says everything, with the same places to fill', ([, texts]) => {
  const places = (text: string) => [...text.matchAll(/\{\w+\}/g)].map(([place]) => place).sort();
  for (const [name, text] of Object.entries(en)) {
    const said = texts[name as keyof typeof en];
    expect(said.trim(), name).not.toBe('');
    expect(places(said), name).toEqual(places(text));
  }
});

test("an agent's file may say each of them in its own words, and nothing else", () => {
  const schema = JSON.parse(
    readFileSync(new URL('../../../../../schemas/agent.schema.json', import.meta.url), 'utf8'),
  ) as {
    $defs: { WidgetTexts: { properties: object } };
  };
  expect(Object.keys(schema.$defs.WidgetTexts.properties).sort()).toEqual(Object.keys(en).sort());
});

test('the author’s words win, in the language that is spoken', async () => {
  const texts = await textsFor('de-AT', {
    send: { de: 'Ab damit', '*': 'Off' },
    title: { '*': 'Frag uns' },
    stop: { fr: 'Halte' },
  });
  expect(texts).toMatchObject({ send: 'Ab damit', title: 'Frag uns', stop: 'Stopp' });
});

test('a language without words of ours speaks English', async () => {
  expect((await textsFor('pl')).send).toBe('Send');
});

test('a text is taken by its code, then without the region, then for any', () => {
  expect(localized({ pt: 'a', 'pt-BR': 'b', '*': 'c' }, 'pt-br')).toBe('b');
  expect(localized({ pt: 'a', '*': 'c' }, 'pt-BR')).toBe('a');
  expect(localized({ pt: 'a' }, 'nl')).toBeUndefined();
});

test('scripts that are written from the right are told apart', () => {
  expect([directionOf('ar'), directionOf('he-IL'), directionOf('en')]).toEqual(['rtl', 'rtl', 'ltr']);
});

test('places are filled, and unknown ones left', () => {
  expect(filled('{count} of {all}', { count: 3 })).toBe('3 of {all}');
});
