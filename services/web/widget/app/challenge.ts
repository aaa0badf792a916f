import type { ShownChallenge } from '../../../contract/widget.ts';
import { bestEffort } from '../../client/best-effort.ts';
import { sleep } from '../../client/sleep.ts';
import { within } from '../../client/within.ts';

/** Where the challenge stands in the window: an element of the page, because the providers' scripts do not find what is in a shadow. */
export const challengeSlot = 'challenge';

/** A person may have pictures to look at. */
const solvedWithinMs = 120_000;
const scriptWithinMs = 15_000;

/** What both scripts offer, as far as it is used. */
interface ProviderScript {
  render(into: HTMLElement, options: Record<string, unknown>): string;
  remove(id: string): void;
}

const scripts = {
  // https://developers.cloudflare.com/turnstile/get-started/client-side-rendering/
  turnstile: 'https://challenges.cloudflare.com/turnstile/v0/api.js?render=explicit',
  // https://docs.hcaptcha.com/configuration
  hcaptcha: 'https://js.hcaptcha.com/1/api.js?render=explicit&recaptchacompat=off',
} as const;

const failed = (why: unknown) => new Error('challenge_required', { cause: why });

/**
 * The answer to a challenge, from the provider's own script, which is loaded the first time it is needed. The person sees it in the window
 * where there is something to do. @throws Error `challenge_required` when there is no answer: the script did not come, or nobody solved it
 */
export async function askPerson(host: HTMLElement, challenge: ShownChallenge, language: string): Promise<string> {
  const place = document.createElement('div');
  place.slot = challengeSlot;
  host.append(place);
  let drawn: { script: ProviderScript; id: string } | undefined;
  try {
    const script = await providerScript(challenge.provider);
    const solved = new Promise<string>((resolve, reject) => {
      const id = script.render(place, {
        sitekey: challenge.siteKey,
        callback: resolve,
        'error-callback': (why: unknown) => reject(failed(why)),
        // Turnstile's is shown only where there is something to do; hCaptcha's is a box to tick.
        ...(challenge.provider === 'turnstile' ? { appearance: 'interaction-only', language } : { hl: language }),
      });
      drawn = { script, id };
    });
    return await within(solvedWithinMs, () => failed('nobody solved it'), solved);
  } catch (error) {
    throw error instanceof Error && error.message === 'challenge_required' ? error : failed(error);
  } finally {
    await bestEffort('it goes with its element', (async () => drawn?.script.remove(drawn.id))());
    place.remove();
  }
}

const loading = new Map<string, Promise<ProviderScript>>();

/** A script that did not come is asked for again the next time. */
function providerScript(provider: ShownChallenge['provider']): Promise<ProviderScript> {
  const under = loading.get(provider) ?? load(provider);
  loading.set(provider, under);
  under.catch(() => loading.delete(provider));
  return under;
}

async function load(provider: ShownChallenge['provider']): Promise<ProviderScript> {
  const ready = () => (window as unknown as Record<string, ProviderScript | undefined>)[provider];
  if (!ready()?.render) {
    const script = document.createElement('script');
    script.async = true;
    script.src = trusted(scripts[provider]);
    const broken = new Promise<never>((_, reject) => script.addEventListener('error', reject));
    document.head.append(script);
    try {
      await Promise.race([broken, until(() => ready()?.render !== undefined)]);
    } catch (error) {
      script.remove();
      throw error;
    }
  }
  const script = ready();
  if (!script) throw failed('its script did not come');
  return script;
}

/** The scripts say in different ways, and some time after they were loaded, that they can be used. */
async function until(isThere: () => boolean): Promise<void> {
  const deadline = performance.now() + scriptWithinMs;
  while (!isThere()) {
    if (performance.now() > deadline) throw failed('its script did not come');
    await sleep(50);
  }
}

interface Policies {
  createPolicy(name: string, rules: { createScriptURL(url: string): string }): { createScriptURL(url: string): string };
}

/** Pages with Trusted Types name the policy `parley-challenge`; only the two addresses above go through it. */
function trusted(url: string): string {
  const { trustedTypes } = window as unknown as { trustedTypes?: Policies };
  policy ??= trustedTypes?.createPolicy('parley-challenge', { createScriptURL: (own) => own });
  return policy?.createScriptURL(url) ?? url;
}
let policy: ReturnType<Policies['createPolicy']> | undefined;
