import { afterEach, expect, test, vi } from 'vitest';
import { type KeeperDeps, keepSignIn } from './sign-in-keeper.ts';

afterEach(() => vi.unstubAllGlobals());

const seconds = 600;
let clock = 0;

function keeper(answers: { status: number; body?: object }[], signedIn = true) {
  clock = 0;
  let known = signedIn;
  let issued = 0;
  const asked: string[] = [];
  vi.stubGlobal('fetch', async (url: string) => {
    asked.push(new URL(url).pathname);
    const { status, body } = answers.shift() ?? { status: 200 };
    issued += status === 200 ? 1 : 0;
    const given = body ?? { accessToken: `token ${issued}`, expiresInSeconds: seconds, person: {} };
    return new Response(status === 204 ? null : JSON.stringify(given), { status });
  });
  const hint: KeeperDeps['hint'] = {
    read: () => known,
    write: (next) => {
      known = next;
    },
  };
  return { keeper: keepSignIn({ origin: 'http://page', hint, now: () => clock }), asked, isHinted: () => known };
}

test('without a hint of a cookie nothing is asked, and nobody is signed in', () => {
  const { keeper: kept, asked } = keeper([], false);
  expect(kept.state).toBe('out');
  expect(asked).toEqual([]);
});

test('requests at the same time share one refresh, and its token until shortly before its end', async () => {
  const { keeper: kept, asked } = keeper([]);
  expect(kept.state).toBe('asking');
  expect(await Promise.all([kept.token(), kept.token()])).toEqual(['token 1', 'token 1']);
  clock = (seconds - 31) * 1000;
  expect(await kept.token()).toBe('token 1');
  clock = (seconds - 29) * 1000;
  expect(await kept.token()).toBe('token 2');
  expect(asked).toEqual(['/auth/refresh', '/auth/refresh']);
});

test('a token that was refused is asked for anew, once', async () => {
  const { keeper: kept, asked } = keeper([]);
  const first = await kept.token();
  kept.distrust(first);
  kept.distrust(first);
  expect(await kept.token()).toBe('token 2');
  kept.distrust(first);
  expect(await kept.token()).toBe('token 2');
  expect(asked).toHaveLength(2);
});

test('a refused cookie signs out, and is told; a server that fails signs nobody out', async () => {
  const { keeper: kept, isHinted } = keeper([
    { status: 503, body: { code: 'unavailable', message: 'later' } },
    { status: 401, body: { code: 'invalid_token', message: 'sign in' } },
  ]);
  const states: string[] = [];
  kept.watch(() => states.push(kept.state));
  await expect(kept.token()).rejects.toMatchObject({ status: 503 });
  expect(kept.state).toBe('asking');
  await expect(kept.token()).rejects.toMatchObject({ code: 'invalid_token' });
  expect(states).toEqual(['out']);
  expect(isHinted()).toBe(false);
});

test('signing out forgets the token', async () => {
  const { keeper: kept, asked } = keeper([{ status: 200 }, { status: 204 }]);
  await kept.token();
  await kept.signOut();
  expect(kept.state).toBe('out');
  expect(asked).toEqual(['/auth/refresh', '/auth/sign-out']);
});
