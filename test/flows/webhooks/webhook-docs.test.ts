import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { testEvent } from '../../../services/core/deliveries/payload.ts';
import { waitAfterAttempt } from '../../../services/core/deliveries/schedule.ts';

const page = await readFile(new URL('../../../docs/call/webhook.md', import.meta.url), 'utf8');

/** Every path of an object, and of the first element of a list. */
function pathsOf(value: unknown, at = ''): string[] {
  if (Array.isArray(value)) return pathsOf(value[0], `${at}[]`);
  if (typeof value !== 'object' || value === null) return [at];
  return Object.entries(value).flatMap(([name, field]) => pathsOf(field, `${at}.${name}`));
}

test('docs/call/webhook.md shows what is sent, field by field and in its order', () => {
  const shown = JSON.parse(/```json\n([\s\S]*?)```/.exec(page)?.[1] ?? '');
  const sent = testEvent({ agent: 'restaurant', version: 'b1b073058a66', language: 'en' }, new Date());
  expect(pathsOf(shown)).toEqual(pathsOf(sent));
});

test('docs/call/webhook.md names the waits between attempts', () => {
  const units = { s: 1, min: 60, h: 3_600 };
  const named = [...page.matchAll(/(?<=after |, |,\n {2}|and )(\d+) (s|min|h)\b/g)].map(
    ([, count, unit]) => Number(count) * units[unit as keyof typeof units] * 1_000,
  );
  const waits = Array.from({ length: 9 }, (_, index) => waitAfterAttempt(index + 1, { random: 0.5 }));
  expect(named).toEqual(waits);
});
