import { expect, test } from 'vitest';
import { type Network, networkOf, type Step } from './network.ts';

const surroundings = { little: ['the', 'my'], leads: [[['please']]], joints: ['and'] };
const sequence = (...steps: Step[]) => ({ steps, isFirst: false, isLast: false });

/** Whether the network accepts these words. */
function accepts({ start, end, transitions }: Network, sentence: string): boolean {
  const byNothing = (states: Set<number>): Set<number> => {
    const reached = transitions
      .filter(([from, , , word]) => word === undefined && states.has(from))
      .map(([, to]) => to);
    const all = new Set([...states, ...reached]);
    return all.size === states.size ? all : byNothing(all);
  };
  let states = byNothing(new Set([start]));
  for (const said of sentence.split(' ')) {
    states = byNothing(
      new Set(transitions.filter(([from, , , word]) => word === said && states.has(from)).map(([, to]) => to)),
    );
  }
  return states.has(end);
}

test('one sequence, or several one after another, with what may stand around them', () => {
  const network = networkOf([sequence(['book'], 'gap', ['table', 'room']), sequence(['tomorrow'])], surroundings);
  for (const sentence of [
    'tomorrow',
    'book table',
    'book my room',
    'book the my room',
    'please book a table'.replace(' a', ''),
    'please book table tomorrow',
    'tomorrow and book the room',
  ])
    expect([sentence, accepts(network, sentence)]).toEqual([sentence, true]);
  for (const sentence of ['book', 'table', 'please', 'book the my the room', 'the', 'tomorrow and'])
    expect([sentence, accepts(network, sentence)]).toEqual([sentence, false]);
});

test.each([
  { isFirst: true, isLast: true, before: false, after: false },
  { isFirst: true, isLast: false, before: false, after: true },
  { isFirst: false, isLast: true, before: true, after: false },
])('what must come first or last does: %o', ({ isFirst, isLast, before, after }) => {
  const network = networkOf([{ steps: [['four']], isFirst, isLast }, sequence(['tomorrow'])], surroundings);
  expect(accepts(network, 'four')).toBe(true);
  expect(accepts(network, 'four tomorrow')).toBe(after);
  expect(accepts(network, 'please four')).toBe(before);
  expect(accepts(network, 'tomorrow four')).toBe(before);
});

test('sequences that begin alike share their states', () => {
  const one = networkOf([sequence(['a'], ['b'], ['c'])], surroundings).transitions.length;
  const two = networkOf([sequence(['a'], ['b'], ['c']), sequence(['a'], ['b'], ['d'])], surroundings);
  expect(two.transitions).toHaveLength(one + 1);
});
