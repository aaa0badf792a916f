/** What is known of a declared provider: services/agent/providers tells it, `npm run generate` brings it here. */
import { providerFacts } from '../../contract/generated/providers.ts';
import type { ProviderFacts } from '../../contract/provider-facts.ts';
import type { SecretReference } from './compiled.ts';

/** Undefined for a provider that this release does not have; a version stored by another release may name it. */
export const factsOf = (provider: string): ProviderFacts | undefined =>
  Object.hasOwn(providerFacts, provider) ? providerFacts[provider] : undefined;

/** Whether it works without a network, where the installation runs. */
export const runsHere = (provider: string): boolean => factsOf(provider)?.region === 'here';

interface Declared {
  apiKey?: SecretReference | undefined;
  baseUrl?: string | undefined;
}

/**
 * The variable that holds the key which a declared provider is sent; undefined: none. A server that is not the provider's own gets
 * the key that the agent names for it, and never that of the provider's account.
 */
export function keyName(provider: string, { apiKey, baseUrl }: Declared): string | undefined {
  const usual = factsOf(provider)?.key;
  if (usual === undefined || apiKey) return usual && apiKey?.env;
  return isItsOwn(provider, baseUrl) ? usual : undefined;
}

/** Whether an address is the provider's, encrypted on the way; none is its usual one. */
export function isItsOwn(provider: string, baseUrl: string | undefined): boolean {
  if (baseUrl === undefined) return true;
  if (!URL.canParse(baseUrl)) return false;
  const { protocol, hostname } = new URL(baseUrl);
  return /^(?:https|wss):$/.test(protocol) && Object.hasOwn(factsOf(provider)?.hosts ?? {}, hostname);
}
