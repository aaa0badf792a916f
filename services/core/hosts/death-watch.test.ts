import { expect, test } from 'vitest';
import { DeathWatch } from './death-watch.ts';

const settled = { postgresUpMs: 60_000, ownConnectionMs: 60_000 };

function looks(
  watch: DeathWatch,
  from: number,
  to: number,
  host: (now: number) => { lockFree: boolean; heartbeat: number },
  circumstances = settled,
) {
  const dead: number[] = [];
  for (let now = from; now <= to; now += 250) {
    if (watch.look([{ id: 'h', ...host(now) }], { now, ...circumstances }).length > 0) dead.push(now);
  }
  return dead;
}

test('a lock that is free in two looks 300 ms apart proves a death', () => {
  expect(looks(new DeathWatch(), 0, 1_000, () => ({ lockFree: true, heartbeat: 7 }))[0]).toBe(500);
});

test('a host that beats while its lock is free makes its connection anew, and is not dead', () => {
  expect(looks(new DeathWatch(), 0, 5_000, (now) => ({ lockFree: true, heartbeat: now }))).toEqual([]);
});

test('says when the next look may prove a death', () => {
  const watch = new DeathWatch();
  watch.look([{ id: 'h', lockFree: false, heartbeat: 1 }], { now: 0, ...settled });
  expect(watch.nextProofAt).toBeUndefined();
  watch.look([{ id: 'h', lockFree: true, heartbeat: 1 }], { now: 250, ...settled });
  const proofAt = watch.nextProofAt ?? Number.NaN;
  expect(proofAt).toBe(550);
  expect(watch.look([{ id: 'h', lockFree: true, heartbeat: 1 }], { now: proofAt, ...settled })).toEqual(['h']);
});

test('a lock that was free once proves nothing', () => {
  expect(looks(new DeathWatch(), 0, 2_000, (now) => ({ lockFree: now % 500 === 0, heartbeat: 7 }))).toEqual([]);
});

test('a free lock proves nothing soon after PostgreSQL started or the own connection was made', () => {
  const host = () => ({ lockFree: true, heartbeat: 7 });
  expect(looks(new DeathWatch(), 0, 5_000, host, { postgresUpMs: 9_000, ownConnectionMs: 60_000 })).toEqual([]);
  expect(looks(new DeathWatch(), 0, 5_000, host, { postgresUpMs: 60_000, ownConnectionMs: 9_000 })).toEqual([]);
});

test('a heartbeat that stands still for 10 s proves a death, one that stood still for 9 s does not', () => {
  expect(looks(new DeathWatch(), 0, 12_000, () => ({ lockFree: false, heartbeat: 7 }))[0]).toBe(10_000);
  expect(
    looks(new DeathWatch(), 0, 30_000, (now) => ({ lockFree: false, heartbeat: Math.floor(now / 9_000) })),
  ).toEqual([]);
});

test('time without the database, or without this process, counts against nobody', () => {
  const watch = new DeathWatch();
  const frozen = () => ({ lockFree: false, heartbeat: 7 });
  expect(looks(watch, 0, 6_000, frozen)).toEqual([]);
  watch.forget();
  expect(looks(watch, 6_250, 12_000, frozen)).toEqual([]);
  expect(looks(watch, 100_000, 105_000, frozen)).toEqual([]);
});
