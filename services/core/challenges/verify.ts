import type { Challenge } from '../../agent-files/definition/compiled.ts';
import { type GuardedFetch, GuardedFetchError } from '../../process/outbound/guarded-fetch.ts';
import { settings } from '../../settings/settings.ts';

export type Provider = Challenge['provider'];

/**
 * - `passed`: a person solved this very challenge, and nobody has shown the answer before.
 * - `refused`: not so.
 * - `down`: the provider does not say, in time.
 * - `not_set_up`: there is no secret of ours, or the provider does not know it.
 */
export type Verdict = 'passed' | 'refused' | 'down' | 'not_set_up';

export type VerifyChallenge = (challenge: Pick<Challenge, 'provider' | 'siteKey'>, answer: string) => Promise<Verdict>;

export interface ChallengeSettings {
  turnstile?: string | undefined;
  hcaptcha?: string | undefined;
  verifyAt?: string | undefined;
}

/** Both speak the protocol of reCAPTCHA: a form with `secret` and `response`, answered by JSON with `success` and `error-codes`. */
const addresses: Readonly<Record<Provider, string>> = {
  // https://developers.cloudflare.com/turnstile/get-started/server-side-validation/
  turnstile: 'https://challenges.cloudflare.com/turnstile/v0/siteverify',
  // https://docs.hcaptcha.com/#verify-the-user-response-server-side
  hcaptcha: 'https://api.hcaptcha.com/siteverify',
};
const answersWithinMs = 5_000;
const maxAnswerBytes = 16_384;
/** Turnstile's are at most 2 048 characters, hCaptcha's some 4 000. */
export const longestAnswer = 8_192;

const ofOurs = new Set([
  'missing-input-secret',
  'invalid-input-secret',
  'sitekey-secret-mismatch',
  'not-using-dummy-passcode',
]);
const ofTheirs = new Set(['internal-error']);

/** Asks the providers, each with our secret. An answer is shown to them once: they know which they have seen. */
export function challengeVerifier(
  { verifyAt, ...secrets }: ChallengeSettings,
  { guardedFetch, allowLoopback }: { guardedFetch: GuardedFetch; allowLoopback: boolean },
): VerifyChallenge {
  return async ({ provider, siteKey }, answer) => {
    const secret = secrets[provider];
    if (secret === undefined) return 'not_set_up';
    const form = new URLSearchParams({
      secret,
      response: answer,
      ...(provider === 'hcaptcha' && { sitekey: siteKey }),
    });
    try {
      const { status, body, truncated } = await guardedFetch(verifyAt ?? addresses[provider], {
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: form.toString(),
        timeoutMs: answersWithinMs,
        maxBytes: maxAnswerBytes,
        allowLoopback,
      });
      return status >= 500 || truncated ? 'down' : judge(body.toString('utf8'));
    } catch (error) {
      if (error instanceof GuardedFetchError) return 'down';
      throw error;
    }
  };
}

/** The variable that holds our secret. */
export const variableOf = (provider: Provider): string => settings.challenges.settings[provider].name;

/** What cannot be read is no verdict. Whatever they refuse for another reason than themselves or us is the answer's fault. */
function judge(text: string): Verdict {
  const said = parsed(text);
  if (said === undefined) return 'down';
  if (said.success === true) return 'passed';
  const codes = Array.isArray(said['error-codes']) ? said['error-codes'] : [];
  if (codes.some((code) => ofOurs.has(code))) return 'not_set_up';
  if (codes.some((code) => ofTheirs.has(code))) return 'down';
  return said.success === false ? 'refused' : 'down';
}

function parsed(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? { ...value } : undefined;
  } catch {
    // Not JSON: a proxy's page, or an answer that broke off.
    return undefined;
  }
}
