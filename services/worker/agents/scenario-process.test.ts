import { expect, test } from 'vitest';
import { withoutOurSecrets } from './scenario-process.ts';

test('scenarios run with the keys of models, and without the secrets of the installation', () => {
  const ours = {
    PARLEY_DATABASE_URL: 'postgres://…',
    PARLEY_MASTER_KEYS: 'k1:…',
    LIVEKIT_API_SECRET: 'secret',
    REDIS_URL: 'redis://…',
    PGPASSWORD: 'secret',
  };
  const models = { OPENAI_API_KEY: 'key', OWN_KEY: 'key', PARLEY_JUDGE_MODEL: 'judge', PATH: '/bin' };
  expect(withoutOurSecrets({ ...ours, ...models })).toEqual(models);
});
