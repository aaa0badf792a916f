import { type Ability, type SpeechNeeds, unmetNeeds } from '../../contract/agents/speech-needs.ts';

/** What each host that takes spoken sessions can do; null of one that does not tell. */
export type HostsAbilities = readonly (readonly Ability[] | null)[];

export const canBeSpoken = (needs: SpeechNeeds, hosts: HostsAbilities): boolean =>
  hosts.some((abilities) => !abilities || unmetNeeds(needs, new Set(abilities)).length === 0);

/** Why no host can speak it, for the operator: what the host lacks that lacks least. */
export function whyUnspoken(needs: SpeechNeeds, hosts: HostsAbilities): string[] {
  if (hosts.length === 0) return ['No agent host takes spoken sessions (PARLEY_VOICE_CAPACITY).'];
  return hosts
    .map((abilities) => unmetNeeds(needs, new Set(abilities ?? [])))
    .reduce((least, unmet) => (unmet.length < least.length ? unmet : least));
}
