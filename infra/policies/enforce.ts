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
import type { Candidate, PolicyRule } from './rule.ts';
import { taggedWithTenant } from './tags.ts';

/** A resource that a rule forbids. */
export class PolicyViolation extends pulumi.RunError {
  constructor({ type, name }: Candidate, rule: string, sentence: string) {
    super(`Policy ${rule} forbids ${name} (${type}): ${sentence}`);
  }
}

export const rulesFor = (slug: string): readonly PolicyRule[] => [
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
];

/** Rules over what only AWS knows once other resources are there, such as the names in a policy of IAM. */
const lateRules: readonly PolicyRule[] = [noWildcardIam];
const lateProperties = ['policy', 'policyArn'];

/**
 * Call it before the first resource. A guard must be a plain value, as plans give it: one that is only known later counts as
 * missing, because nobody could check it beforehand.
 */
export function enforcePolicies(slug: string): void {
  const rules = rulesFor(slug);
  pulumi.runtime.registerStackTransformation(({ type, name, props, opts }) => {
    // What is only looked at is somebody else's.
    if ((opts as pulumi.CustomResourceOptions).id !== undefined) return undefined;
    const candidate: Candidate = { type, name, props: props as Record<string, unknown> };
    for (const rule of rules) refuse(candidate, rule);
    return { props: { ...props, ...checkedLate(candidate) }, opts };
  });
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
