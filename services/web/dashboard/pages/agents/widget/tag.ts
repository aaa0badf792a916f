import type { ShownChallenge } from '../../../../../contract/widget.ts';
import { attributeName } from '../../../../widget/loader/attributes.ts';
import type { TagSetting } from '../../../../widget/shapes.ts';

/** What is chosen, by the setting's name in the agent's file; what is empty is left to the file. */
export type Chosen = Partial<Record<TagSetting, string>>;

type Provider = ShownChallenge['provider'];

const chosenIn = (chosen: Chosen): [string, string][] =>
  Object.entries(chosen).filter(([, value]) => value.trim() !== '');

const quoted = (text: string): string =>
  `"${text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;')}"`;

/** The line for the customer's page. */
export function tagOf({ origin, key, chosen }: { origin: string; key: string; chosen: Chosen }): string {
  const attributes = chosenIn(chosen).map(([setting, value]) => ` ${attributeName(setting)}=${quoted(value)}`);
  return `<script src="${origin}/widget.js" data-agent-key="${key}"${attributes.join('')} async></script>`;
}

/** The page on which it can be seen, which has an element of its own for whatever selector is meant. */
export function previewOf(key: string, chosen: Chosen): string {
  const seen = chosen.target?.trim() ? { ...chosen, target: '#place' } : chosen;
  return `/widget-preview?${new URLSearchParams([['key', key], ...chosenIn(seen)])}`;
}

/** What the provider of a challenge says of policies, by directive. */
const ofChallenge: Record<Provider, Readonly<Record<string, string>>> = {
  // https://developers.cloudflare.com/turnstile/reference/content-security-policy/
  turnstile: {
    'script-src': 'https://challenges.cloudflare.com',
    'frame-src': 'https://challenges.cloudflare.com',
  },
  // https://docs.hcaptcha.com/#content-security-policy-settings
  hcaptcha: Object.fromEntries(
    ['script-src', 'frame-src', 'style-src', 'connect-src'].map((name) => [
      name,
      'https://hcaptcha.com https://*.hcaptcha.com',
    ]),
  ),
};

/** What a page's Content-Security-Policy has to say. @param rooms where rooms are: wss://… */
export function policyOf(origin: string, rooms: string, provider?: Provider): string {
  const ours = { 'script-src': origin, 'connect-src': `${origin} ${rooms} ${rooms.replace(/^ws/, 'http')}` };
  const theirs = provider ? ofChallenge[provider] : {};
  return [...new Set([...Object.keys(ours), ...Object.keys(theirs)])]
    .map((name) => [name, ours[name as keyof typeof ours], theirs[name]].filter(Boolean).join(' '))
    .join(';\n')
    .concat(';');
}
