import { expect, test } from 'vitest';
import { makeEventReader } from './event-stream.ts';

test('events are whole whatever the pieces they come in, and their last id is kept', () => {
  const reader = makeEventReader();
  const text = ': hello\n\nid: 7\nevent: message\ndata: {"a":\ndata: 1}\n\nevent: state\ndata: x\n\n';
  const events = [...text].flatMap((letter) => reader.take(letter));
  expect(events).toEqual([
    { event: 'message', data: '{"a":\n1}' },
    { event: 'state', data: 'x' },
  ]);
  expect(reader.lastId).toBe('7');
});

test('what a break cut off is forgotten', () => {
  const reader = makeEventReader();
  reader.take('event: draft\ndata: half');
  reader.broke();
  expect(reader.take('data: whole\n\n')).toEqual([{ event: 'message', data: 'whole' }]);
});
