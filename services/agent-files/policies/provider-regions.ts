import type { ProviderRegions } from '../../contract/generated/policies.ts';
import { providerFacts } from '../../contract/generated/providers.ts';
import type { CompiledAgent } from '../definition/compiled.ts';
import { autoProvider, realtimeProviderOf } from '../definition/model-choice.ts';
import { factsOf, runsHere } from '../definition/provider-facts.ts';
import { hostOf } from './hosts.ts';
import type { Policy, PolicyFinding } from './policy.ts';
import { canBeSpokenTo } from './spoken.ts';

const knownHosts: ReadonlyMap<string, string> = new Map(
  Object.values(providerFacts).flatMap(({ hosts = {} }) => Object.entries(hosts)),
);

interface Use {
  path: readonly string[];
  provider: string;
  baseUrl?: string | undefined;
}

/** Models and speech providers process in allowed regions only; an endpoint whose region nobody has named is refused. */
export const providerRegions: Policy<ProviderRegions> = (agent, options) => [
  ...usesOf(agent).flatMap((use) => refused(use, options)),
  ...unnamedSpeech(agent),
];

function refused({ path, provider, baseUrl }: Use, options: ProviderRegions): PolicyFinding[] {
  const region = regionOf({ provider, baseUrl }, options);
  if (runsHere(provider) || (region !== undefined && options.allow.includes(region))) return [];
  const allowed = `The operator allows ${options.allow.join(', ')} only.`;
  const host = baseUrl && hostOf(baseUrl);
  if (region === undefined) {
    const message = `Nobody has said in which region "${host ?? provider}" processes. ${allowed}`;
    return [{ path: [...path, baseUrl === undefined ? 'provider' : 'baseUrl'], message }];
  }
  const what = provider === 'auto' ? `"auto" may become ${autoProvider}, which` : `"${host ?? provider}"`;
  const message = `${what} processes in "${region}". ${allowed}`;
  return [{ path: [...path, baseUrl === undefined ? 'provider' : 'baseUrl'], message }];
}

/** A contract may say otherwise than the provider's documentation: `providers` in policies.yaml. */
function regionOf({ provider, baseUrl }: Omit<Use, 'path'>, { providers, hosts }: ProviderRegions): string | undefined {
  const actual = provider === 'auto' ? autoProvider : provider;
  const byDefault = providers[actual] ?? factsOf(actual)?.region;
  if (baseUrl === undefined) return byDefault;
  const host = hostOf(baseUrl);
  if (host === undefined) return undefined;
  const named = Object.entries(hosts).find(([name]) => name.toLowerCase() === host)?.[1];
  return named ?? knownHosts.get(host);
}

function usesOf(agent: CompiledAgent): Use[] {
  const { model, modelFallbacks, realtime, languages, voiceAgentKind } = agent;
  return [
    { path: ['model'], provider: model.provider, baseUrl: model.baseUrl },
    ...modelFallbacks.map(({ provider, baseUrl }, index) => ({
      path: ['model', 'fallbacks', `${index}`],
      provider,
      baseUrl,
    })),
    ...(voiceAgentKind === 'realtime'
      ? [{ path: ['realtime'], provider: realtimeProviderOf(agent), baseUrl: realtime?.baseUrl }]
      : []),
    ...speechUses(agent),
    ...languages.flatMap(({ voices }, language) =>
      voices.flatMap(({ provider }, voice) =>
        provider ? [{ path: ['languages', `${language}`, 'voices', `${voice}`], provider }] : [],
      ),
    ),
  ];
}

const speechUses = ({ speech }: CompiledAgent): Use[] =>
  (['recognition', 'synthesis'] as const).flatMap((kind) =>
    (speech?.[kind] ?? []).map(({ provider }, index) => ({ path: ['speech', kind, `${index}`], provider })),
  );

/** An empty list means whatever the deployment offers, and nobody can say where that is. */
function unnamedSpeech(agent: CompiledAgent): PolicyFinding[] {
  if (!canBeSpokenTo(agent) || agent.voiceAgentKind === 'realtime') return [];
  return (['recognition', 'synthesis'] as const)
    .filter((kind) => (agent.speech?.[kind] ?? []).length === 0)
    .map((kind) => ({
      path: ['speech', kind],
      message: `An agent that can be spoken to must name its providers in speech.${kind}, or be TEXT with sessions.microphone: false: the operator restricts regions.`,
    }));
}
