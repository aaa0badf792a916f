import { expect, test } from 'vitest';
import { readRoomPurpose } from './room-purpose.ts';

test('a room says for whom it was made', () => {
  expect(readRoomPurpose('{"parley":{"tenant":"local","agent":"desk","language":"de","channel":"api"}}')).toEqual({
    tenant: 'local',
    agent: 'desk',
    language: 'de',
    channel: 'api',
  });
  expect(readRoomPurpose('{"parley":{"tenant":"local","agent":"desk","channel":"fax"}}')).toEqual({
    tenant: 'local',
    agent: 'desk',
    channel: 'phone',
  });
});

test('other metadata are not ours', () => {
  for (const metadata of [
    '',
    'hello "parley"',
    '{"parley":null}',
    '{"parley":"x"}',
    '{"parley":{"tenant":1,"agent":"a"}}',
    '[]',
    '{}',
  ]) {
    expect(readRoomPurpose(metadata)).toBeUndefined();
  }
});
