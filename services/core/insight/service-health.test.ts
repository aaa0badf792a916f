import { expect, test } from 'vitest';
import { type HealthFacts, serviceHealth } from './service-health.ts';

const now = new Date('2026-11-23T05:00:00Z');
const parts = { postgres: '17.6', hosts: 2, draining: 1, capacity: 80, voice_capacity: 8, worker_silent_ms: 1_400 };
const releases = [{ process: 'api' as const, release: '1.2', running: 2 }];
const healthy: HealthFacts = { parts, isFull: false, roomsAnswer: true, releases, withFigures: true, now };

const statesOf = (facts: HealthFacts) =>
  Object.fromEntries(serviceHealth(facts).parts.map(({ part, state }) => [part, state]));

test('what is there is ok, with its figures for whoever runs it', () => {
  expect(serviceHealth(healthy)).toEqual({
    status: 'ok',
    checkedAt: now,
    parts: [
      { part: 'database', state: 'ok', how: null, figures: { postgres: '17.6' } },
      { part: 'rooms', state: 'ok', how: null, figures: null },
      { part: 'hosts', state: 'ok', how: null, figures: { hosts: 2, draining: 1, capacity: 80, voiceCapacity: 8 } },
      { part: 'worker', state: 'ok', how: null, figures: { silentSeconds: 1 } },
    ],
    releases,
  });
});

test('others are told the states, and nothing of how many machines there are or what runs on them', () => {
  const { parts: shown, releases: told } = serviceHealth({ ...healthy, withFigures: false });
  expect(told).toBeNull();
  expect(shown.map(({ figures }) => figures)).toEqual([null, null, null, null]);
});

test('each part that is not there says what that means and what to do', () => {
  const gone = serviceHealth({
    ...{ ...healthy, roomsAnswer: false },
    parts: { ...parts, hosts: 0, worker_silent_ms: 30_000 },
  });
  expect(gone.status).toBe('degraded');
  expect(gone.parts.map(({ state, how }) => [state, how?.split(':')[0] ?? null])).toEqual([
    ['ok', null],
    ['down', 'The room server does not answer'],
    ['down', 'No agent host takes conversations'],
    ['down', 'No worker runs'],
  ]);
  expect(statesOf({ ...healthy, parts: { ...parts, worker_silent_ms: null } })).toMatchObject({ worker: 'down' });
});

test('without the database nobody knows of hosts and workers', () => {
  expect(statesOf({ ...healthy, parts: undefined })).toEqual({
    ...{ database: 'down', rooms: 'ok' },
    ...{ hosts: 'unknown', worker: 'unknown' },
  });
});

test('a database without room answers, and not all is well', () => {
  const { status, parts: shown } = serviceHealth({ ...healthy, isFull: true });
  expect(status).toBe('degraded');
  expect(shown[0]).toMatchObject({ state: 'full', how: expect.stringContaining('disk is full') });
});
