import { fromAttribute, inboundRoomPrefix } from './leg.ts';

/** What the SIP bridge is to know of one of our trunks, so that calls come in by it. */
export interface WantedTrunk {
  /** Ours. */
  id: string;
  numbers: readonly string[];
  allowedAddresses: readonly string[];
  authUsername: string;
  authPassword: string;
}

/** What it knows: a trunk with the rule that gives each of its calls a room. */
export interface KnownTrunk extends WantedTrunk {
  /** The bridge's own name for it. */
  sipTrunkId: string;
  headersToAttributes: Readonly<Record<string, string>>;
}

export interface KnownRule {
  sipDispatchRuleId: string;
  trunkIds: readonly string[];
  hidesNumber: boolean;
  isRandom: boolean;
  roomPrefix: string;
}

export type Change =
  | { kind: 'add_trunk' | 'replace_trunk'; trunk: WantedTrunk; sipTrunkId: string | undefined }
  | { kind: 'remove_trunk'; sipTrunkId: string }
  | { kind: 'add_rule'; sipTrunkId: string }
  | { kind: 'remove_rule'; sipDispatchRuleId: string };

/** Who calls, as an attribute of the leg: the rule hides it everywhere else. */
export const headersToAttributes = { From: fromAttribute };

/**
 * What is to be changed so that the bridge knows what it should, in this order. A trunk without a number would take calls to every
 * number, and a rule without a trunk calls of everybody: neither is ever made.
 */
export function changesOf(
  wanted: readonly WantedTrunk[],
  { trunks, rules }: { trunks: readonly KnownTrunk[]; rules: readonly KnownRule[] },
): Change[] {
  const served = wanted.filter(isSafe);
  const known = new Map(trunks.map((trunk) => [trunk.id, trunk]));
  const kept = new Set(served.flatMap(({ id }) => known.get(id)?.sipTrunkId ?? []));
  const ruled = new Set(rules.filter(isOurs).flatMap(({ trunkIds }) => trunkIds));
  return [
    ...rules.filter((rule) => !isOurs(rule) || !rule.trunkIds.every((id) => kept.has(id))).map(removal),
    ...trunks
      .filter(({ sipTrunkId }) => !kept.has(sipTrunkId))
      .map(({ sipTrunkId }) => ({ kind: 'remove_trunk', sipTrunkId }) as const),
    ...served.flatMap((trunk) => changeOf(trunk, known.get(trunk.id))),
    ...[...kept]
      .filter((sipTrunkId) => !ruled.has(sipTrunkId))
      .map((sipTrunkId) => ({ kind: 'add_rule', sipTrunkId }) as const),
  ];
}

/** As a rule of ours is: a room for each call, named after the number that was dialled and not after who dials. */
const isOurs = ({ trunkIds, hidesNumber, isRandom, roomPrefix }: KnownRule): boolean =>
  trunkIds.length === 1 && hidesNumber && isRandom && roomPrefix === inboundRoomPrefix;

const isSafe = ({ numbers, allowedAddresses, authUsername, authPassword }: WantedTrunk): boolean =>
  numbers.length > 0 && (allowedAddresses.length > 0 || (authUsername !== '' && authPassword !== ''));

const removal = ({ sipDispatchRuleId }: KnownRule) => ({ kind: 'remove_rule', sipDispatchRuleId }) as const;

function changeOf(trunk: WantedTrunk, known: KnownTrunk | undefined): Change[] {
  if (!known) return [{ kind: 'add_trunk', trunk, sipTrunkId: undefined }];
  return isSame(trunk, known) ? [] : [{ kind: 'replace_trunk', trunk, sipTrunkId: known.sipTrunkId }];
}

const isSame = (wanted: WantedTrunk, known: KnownTrunk): boolean =>
  hasSame(wanted.numbers, known.numbers) &&
  hasSame(wanted.allowedAddresses, known.allowedAddresses) &&
  wanted.authUsername === known.authUsername &&
  wanted.authPassword === known.authPassword &&
  known.headersToAttributes.From === headersToAttributes.From;

function hasSame(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((value) => other.includes(value));
}
