import { expect, test } from 'vitest';
import { loginOf, readLogin } from './database-login.ts';

test.each([
  [{ role: 'parley', generation: 1 }, 'parley'],
  [{ role: 'parley', generation: 2 }, 'parley_login_2'],
  [{ role: 'guest_3', generation: 1 }, 'guest_3'],
  [{ role: 'parley_my_login_shop', generation: 12 }, 'parley_my_login_shop_login_12'],
])('the login of %o is %s, and says whose it is', (login, name) => {
  expect(loginOf(login)).toBe(name);
  expect(readLogin(name)).toEqual(login);
});

test.each(['parley_login_1', 'parley_login_0', 'parley_login_02', 'login_2'])(
  '%s is a role of its own: no password comes with such a login',
  (role) => {
    expect(readLogin(role)).toEqual({ role, generation: 1 });
  },
);
