import { expect, test } from 'vitest';
import { VoicePlaces } from './voice-places.ts';

test('a host whose engines cannot keep up keeps to the sessions that it has, and takes one more at a time when they can again', async () => {
  let load = 0;
  const asked: string[] = [];
  const told: string[] = [];
  let open = 12;
  const note = (_: object, text: string) => void told.push(text.split(':')[0] ?? '');
  const places = new VoicePlaces({
    load: () => load,
    places: {
      close: async () => {
        asked.push('close');
        open = 10;
        return open;
      },
      openOne: async () => {
        asked.push('open');
        open += 1;
        return open;
      },
    },
    most: 12,
    logger: { warn: note, info: note } as unknown as ConstructorParameters<typeof VoicePlaces>[0]['logger'],
  });
  for (load of [0, 0.6, 0.69]) await places.look();
  expect(asked).toEqual([]);
  for (load of [0.7, 0.8, 0.6, 0.5]) await places.look();
  expect(asked).toEqual(['close', 'close']);
  expect(told).toEqual(['speech on this machine cannot keep up']);
  for (load of [0.4, 0.4, 0.4]) await places.look();
  expect(asked).toEqual(['close', 'close', 'open', 'open']);
  expect(told.at(-1)).toBe('speech on this machine has time again');
});

test('a database that does not know the host changes nothing, and is asked again', async () => {
  let asked = 0;
  const close = async () => {
    asked += 1;
    return undefined;
  };
  const silent = { warn: () => expect.unreachable(), info: () => expect.unreachable() };
  const logger = silent as unknown as ConstructorParameters<typeof VoicePlaces>[0]['logger'];
  const places = new VoicePlaces({ load: () => 1, places: { close, openOne: close }, most: 12, logger });
  await places.look();
  await places.look();
  expect(asked).toBe(2);
});
