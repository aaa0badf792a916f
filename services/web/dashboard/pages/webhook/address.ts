import type { WebhookUrl } from '../../account/account-api.ts';

/** What the person chooses; both lines are kept while they look at the other choices. */
export interface AddressChoice {
  kind: 'address' | 'variable' | 'nowhere';
  address: string;
  variable: string;
}

/** What a file says, as the form shows it. */
export function choiceOf(url: WebhookUrl): AddressChoice {
  if (url === null) return { kind: 'nowhere', address: '', variable: '' };
  if (typeof url === 'string') return { kind: 'address', address: url, variable: '' };
  return { kind: 'variable', address: '', variable: url.env };
}

/** What is written; undefined while the line is empty that was chosen. */
export function urlOf({ kind, address, variable }: AddressChoice): WebhookUrl | undefined {
  if (kind === 'nowhere') return null;
  if (kind === 'variable') return variable.trim() ? { env: variable.trim() } : undefined;
  return address.trim() || undefined;
}

/** As it stands in a file; undefined: nothing does. */
export function lineOf(url: WebhookUrl): string | undefined {
  if (url === null) return undefined;
  return typeof url === 'string' ? `webhook: { url: ${url} }` : `webhook: { url: { env: ${url.env} } }`;
}

export const isSameUrl = (one: WebhookUrl, other: WebhookUrl): boolean => lineOf(one) === lineOf(other);
