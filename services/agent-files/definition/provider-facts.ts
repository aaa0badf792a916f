/** What is known of a declared provider: services/agent/providers tells it, `npm run generate` brings it here. */
import { providerFacts } from '../../contract/generated/providers.ts';
import type { ProviderFacts } from '../../contract/provider-facts.ts';
import type { SecretReference } from './compiled.ts';

/** Undefined for a provider that this release does not have; a version stored by another release may name it. */
export const factsOf = (provider: string): ProviderFacts | undefined =>
  Object.hasOwn(providerFacts, provider) ? providerFacts[provider] : undefined;

/** Whether it works without a network, where the installation runs. */
export const runsHere = (provider: string): boolean => factsOf(provider)?.region === 'here';

/** The environment variable that holds the key of a declared provider; undefined: it takes none. */
export function keyName(provider: string, apiKey: SecretReference | undefined): string | undefined {
  const usual = factsOf(provider)?.key;
  return usual && (apiKey?.env ?? usual);
}

interface DeclaredModel {
  apiKey?: SecretReference;
  baseUrl?: string;
}

/** The same for a model. Servers other than the provider's own need no key unless the agent names one: its account's is for itself only. */
export const modelKeyName = (provider: string, { apiKey, baseUrl }: DeclaredModel): string | undefined =>
  baseUrl && !apiKey ? undefined : keyName(provider, apiKey);
