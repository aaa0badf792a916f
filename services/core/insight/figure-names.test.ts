import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { latencyStages } from '../../contract/analytics.ts';
import { conversationNames, toNames, toolNames, toPlaces } from './figure-names.ts';

const digest = (names: readonly string[]) => createHash('sha256').update(names.join('\n')).digest('hex').slice(0, 16);

test('names keep the places that stored figures have: new ones come at the end, and raise these counts', () => {
  expect([digest(conversationNames.slice(0, 233)), digest(toolNames.slice(0, 29))]).toEqual([
    '6098a81d8fc86857',
    '66063539c2e853c9',
  ]);
});

test('every stage of latency has places, and what is put into them comes out again', () => {
  for (const stage of latencyStages) expect(conversationNames).toContain(`latency.${stage}.more`);
  const figures = { conversations: 2, 'outcome.failed': 1 };
  const placed = toPlaces(figures, conversationNames);
  expect(placed.at(-1)).toBe(1);
  expect(toNames(placed, conversationNames)).toMatchObject(figures);
  expect(() => toPlaces({ 'outcome.lost': 1 }, conversationNames)).toThrow('"outcome.lost" is counted');
});
