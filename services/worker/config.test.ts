import { expect, test } from 'vitest';
import { readConfig } from './config.ts';

const complete = {
  PARLEY_DATABASE_URL: 'postgres://parley_service:x@localhost/parley',
  LIVEKIT_URL: 'ws://localhost:7880',
  LIVEKIT_API_KEY: 'key',
  LIVEKIT_API_SECRET: 'secret',
  PARLEY_MASTER_KEYS: `k1:${Buffer.alloc(32).toString('base64')}`,
};

test('what is left out has its documented default', () => {
  expect(readConfig(complete)).toMatchObject({
    environment: 'production',
    agentsFolder: undefined,
    tenant: 'local',
    bind: '127.0.0.1',
    internalPort: 7803,
    retryScale: 1,
  });
});

test('all faults are reported together, each with its variable', () => {
  const faulty = { ...complete, PARLEY_DATABASE_URL: 'mysql://x', LIVEKIT_URL: '', PARLEY_MASTER_KEYS: 'k1:short' };
  expect(() => readConfig({ ...faulty, PARLEY_INTERNAL_PORT: '99999', PARLEY_RETRY_SCALE: '2' })).toThrow(
    /LIVEKIT_URL is missing[\s\S]*PARLEY_DATABASE_URL[\s\S]*PARLEY_MASTER_KEYS[\s\S]*PARLEY_INTERNAL_PORT[\s\S]*PARLEY_RETRY_SCALE/,
  );
});
