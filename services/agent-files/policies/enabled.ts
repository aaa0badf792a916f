import type { PoliciesFile } from '../../contract/generated/policies.ts';
import { caps } from './caps.ts';
import { consent } from './consent.ts';
import type { NamedPolicy, Policy } from './policy.ts';
import { providerRegions } from './provider-regions.ts';
import { toolHosts } from './tool-hosts.ts';
import { voiceRetention } from './voice-retention.ts';
import { webhookHosts } from './webhook-hosts.ts';
import { widgetPrompt } from './widget-prompt.ts';

/** Every rule that ships, by the field that switches it on. */
const rules: { [Name in keyof PoliciesFile]-?: Policy<NonNullable<PoliciesFile[Name]>> } = {
  toolHosts,
  webhookHosts,
  consent,
  providerRegions,
  voiceRetention,
  caps,
  widgetPrompt,
};

/** The rules that a policies.yaml switches on. */
export const enabledPolicies = (file: PoliciesFile): NamedPolicy[] =>
  (Object.keys(rules) as (keyof PoliciesFile)[]).flatMap((name) => enabled(name, file[name]));

function enabled<Name extends keyof PoliciesFile>(name: Name, options: PoliciesFile[Name]): NamedPolicy[] {
  if (options === undefined) return [];
  const rule = rules[name] as Policy<NonNullable<PoliciesFile[Name]>>;
  return [{ name, check: (agent) => rule(agent, options) }];
}
