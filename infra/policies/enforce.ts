/** Checks every resource of the stack before it is created: what breaks a rule ends the run with the rule's name. */
import * as pulumi from '@pulumi/pulumi';
import { closedSecurityGroups, encryptedAtRest, guardedDatabase, noPublicDatabase, noWildcardIam } from './cloud.ts';
import {
  imagesByDigest,
  limitsOnContainers,
  namespaceLevels,
  probesOnContainers,
  restrictedPods,
  tlsOnIngresses,
} from './pods.ts';
import { protectedWhereLossHurts } from './protection.ts';
import type { Candidate, PolicyRule } from './rule.ts';
import { taggedWithTenant } from './tags.ts';
import { missingIn } from './whole.ts';

/** A resource that a rule forbids. */
export class PolicyViolation extends pulumi.RunError {
  constructor({ type, name }: Candidate, rule: string, sentence: string) {
    super(`Policy ${rule} forbids ${name} (${type}): ${sentence}`);
  }
}

export interface Guarded {
  /** The stack's name. */
  slug: string;
  /** Whether its data may go; then nothing has to be protected. */
  erasable: boolean;
}

export const rulesFor = ({ slug, erasable }: Guarded): readonly PolicyRule[] => [
  limitsOnContainers,
  probesOnContainers,
  imagesByDigest,
  restrictedPods,
  namespaceLevels,
  tlsOnIngresses,
  noPublicDatabase,
  encryptedAtRest,
  guardedDatabase,
  closedSecurityGroups,
  taggedWithTenant(slug),
  ...(erasable ? [] : [protectedWhereLossHurts]),
];

/** Rules over what only AWS knows once other resources are there, such as the names in a policy of IAM. */
const lateRules: readonly PolicyRule[] = [noWildcardIam];
const lateProperties = ['policy', 'policyArn'];

/** All rules over one resource of a stack whose data may not be erased. */
export const everyRule = (slug: string): readonly PolicyRule[] => [
  ...rulesFor({ slug, erasable: false }),
  ...lateRules,
];

/**
 * Call it before the first resource. A guard must be a plain value, as plans give it: one that is only known later counts as
 * missing, because nobody could check it beforehand.
 *
 * @returns what is to be called after the last resource: it looks at all of them together
 */
export function enforcePolicies(slug: string, erasable = true): () => void {
  const rules = rulesFor({ slug, erasable });
  const seen: Candidate[] = [];
  pulumi.runtime.registerStackTransformation(({ type, name, props, opts }) => {
    // What is only looked at is somebody else's.
    if ((opts as pulumi.CustomResourceOptions).id !== undefined) return undefined;
    const isProtected = opts.protect === true;
    const candidate: Candidate = { type, name, props: props as Record<string, unknown>, isProtected };
    for (const rule of rules) refuse(candidate, rule);
    seen.push(candidate);
    return { props: { ...props, ...checkedLate(candidate) }, opts };
  });
  return () => {
    for (const { of, rule, sentence } of missingIn(seen)) throw new PolicyViolation(of, rule, sentence);
  };
}

function refuse(candidate: Candidate, rule: PolicyRule): void {
  const sentence = rule.check(candidate);
  if (sentence !== undefined) throw new PolicyViolation(candidate, rule.name, sentence);
}

function checkedLate(candidate: Candidate): Record<string, unknown> {
  if (!candidate.type.startsWith('aws:iam/')) return {};
  const given = lateProperties.filter((property) => candidate.props[property] !== undefined);
  return Object.fromEntries(
    given.map((property) => [
      property,
      (pulumi.output(candidate.props[property]) as pulumi.Output<unknown>).apply((value) => {
        for (const rule of lateRules) refuse({ ...candidate, props: { [property]: value } }, rule);
        return value;
      }),
    ]),
  );
}
