import { expect, test } from 'vitest';
import { missingSecretIn } from './secrets.ts';

test('the variable is named that the challenge of an agent needs and the API lacks', () => {
  const missing = missingSecretIn({ hcaptcha: 'x' });
  expect(missing({ provider: 'turnstile' })).toBe('PARLEY_TURNSTILE_SECRET');
  expect(missing({ provider: 'hcaptcha' })).toBeUndefined();
  expect(missing(undefined)).toBeUndefined();
});
