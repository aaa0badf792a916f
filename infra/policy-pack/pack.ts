/** The rules of `infra/policies` as a pack of Pulumi's own policy engine; no rule is written here. */
import {
  PolicyPack,
  type PolicyResource,
  type ResourceValidationArgs,
  type ResourceValidationPolicy,
  type StackValidationPolicy,
} from '@pulumi/policy';
import { everyRule } from '../policies/enforce.ts';
import type { Candidate } from '../policies/rule.ts';
import { missingIn, wholeRule } from '../policies/whole.ts';

const candidateOf = ({ type, name, props, opts }: ResourceValidationArgs | PolicyResource): Candidate => ({
  type,
  name,
  props,
  isProtected: opts.protect,
});

/** `urn:pulumi:<stack>::<project>::<types>::<name>`: a stack is named for its tenant. */
const stackOf = (urn: string): string => urn.split('::', 1)[0]?.split(':').at(-1) ?? '';

/** A pack is asked about any stack, and only a resource says whose it is: its rules are looked up then. */
const asPolicy = (name: string): ResourceValidationPolicy => ({
  name,
  description: `Rule ${name} of infra/policies`,
  validateResource(args, reportViolation) {
    const rule = everyRule(stackOf(args.urn)).find((one) => one.name === name);
    const sentence = rule?.check(candidateOf(args));
    if (sentence !== undefined) reportViolation(sentence);
  },
});

const whole: StackValidationPolicy = {
  name: wholeRule,
  description: `Rule ${wholeRule} of infra/policies`,
  validateStack({ resources }, reportViolation) {
    const candidates = resources.map(candidateOf);
    for (const { of, sentence } of missingIn(candidates))
      reportViolation(sentence, resources[candidates.indexOf(of)]?.urn);
  },
};

new PolicyPack('parley', {
  enforcementLevel: 'mandatory',
  policies: [...everyRule('').map(({ name }) => asPolicy(name)), whole],
});
