import { expect, test } from 'vitest';
import { makeHealthCheck } from './health.ts';

test('however many ask at once, the database and the room server are asked once', async () => {
  const asked: string[] = [];
  const ask = async (whom: string) => {
    asked.push(whom);
    return [];
  };
  const health = makeHealthCheck({
    db: { query: () => ask('database'), wasFullWithin: () => false },
    rooms: { list: () => ask('rooms') },
  });
  const answers = await Promise.all(Array.from({ length: 100 }, () => health.missing()));
  expect(answers.flat()).toEqual([]);
  expect(asked).toEqual(['database', 'rooms']);
});

test('what fails or does not answer is missing', async () => {
  const health = makeHealthCheck({
    db: { query: () => Promise.reject(new Error('refused')), wasFullWithin: () => false },
    rooms: { list: () => new Promise(() => undefined) },
  });
  expect(await health.missing()).toEqual(['the database', 'the room server']);
});
