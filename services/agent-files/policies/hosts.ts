import type { AllowedHosts } from '../../contract/generated/policies.ts';
import { nearest } from '../../contract/nearest.ts';

/** The host of an absolute address as its author wrote it, in lower case; undefined when it is no address. */
export const hostOf = (url: string): string | undefined =>
  URL.canParse(url) ? new URL(url).hostname.toLowerCase().replace(/\.$/, '') : undefined;

/** `*.example.com` allows what is below example.com, not example.com itself. */
export const isAllowedHost = (host: string, allowed: readonly string[]): boolean =>
  allowed.some((entry) => {
    const known = entry.toLowerCase();
    return known.startsWith('*.') ? host.endsWith(known.slice(1)) && host.length > known.length - 1 : host === known;
  });

/** What is wrong with an address, literal or by variable, under an allow-list; undefined when it is allowed. */
export function addressRefused(url: string | { env: string }, { hosts, variables }: AllowedHosts): string | undefined {
  if (typeof url !== 'string') {
    if (variables.includes(url.env)) return undefined;
    return `The operator does not allow an address from the variable ${url.env}. ${hint(url.env, variables)}`;
  }
  const host = hostOf(url.replaceAll(/\{\{[^{}]*\}\}/g, 'x'));
  if (host !== undefined && isAllowedHost(host, hosts)) return undefined;
  return `The operator does not allow the host "${host ?? url}". ${hint(host ?? url, hosts)}`;
}

function hint(given: string, allowed: readonly string[]): string {
  const near = nearest(given, allowed);
  if (near !== undefined) return `Did you mean "${near}"?`;
  return `Allowed: ${allowed.slice(0, 20).join(', ') || 'none'}.`;
}
