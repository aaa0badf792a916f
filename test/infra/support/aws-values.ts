import { readFileSync } from 'node:fs';
import { isUnknown, type Properties } from './property-values.ts';

/** What AWS's own descriptions say of a value. */
export interface ValueRule {
  enum?: readonly string[] | undefined;
  pattern?: string | undefined;
  /** Letters. */
  shortest?: number | undefined;
  longest?: number | undefined;
  /** Numbers. */
  least?: number | undefined;
  most?: number | undefined;
}

export interface AwsModels {
  /** Versions of what they were taken from. */
  from: Readonly<Record<string, string>>;
  /** By resource type and property; `[]` stands for every item of a list. */
  rules: Readonly<Record<string, Readonly<Record<string, ValueRule>>>>;
}

/** Written by extract-aws-models.ts. */
const models = JSON.parse(readFileSync(new URL('generated/aws-models.json', import.meta.url), 'utf8')) as AwsModels;

/** Values that AWS's API would not take, in sentences with their paths. */
export const valueFaults = (type: string, inputs: Properties): string[] =>
  Object.entries(models.rules[type] ?? {}).flatMap(([path, rule]) =>
    valuesAt(inputs, path.split('.')).flatMap((value) => faultOf(value, rule, path)),
  );

function valuesAt(value: unknown, [step, ...rest]: readonly string[]): unknown[] {
  if (value === undefined || value === null || isUnknown(value)) return [];
  if (step === undefined) return [value];
  const isList = step.endsWith('[]');
  const found = (value as Properties)[isList ? step.slice(0, -2) : step];
  return isList && Array.isArray(found) ? found.flatMap((item) => valuesAt(item, rest)) : valuesAt(found, rest);
}

function faultOf(value: unknown, rule: ValueRule, path: string): string[] {
  const text = String(value);
  const given = `${path} is ${JSON.stringify(value)}`;
  if (rule.enum && !rule.enum.includes(text)) return [`${given}, which AWS does not know`];
  if (rule.pattern && !new RegExp(`^(?:${rule.pattern})$`, 'su').test(text))
    return [`${given}; AWS takes ${rule.pattern}`];
  if (text.length < (rule.shortest ?? 0) || text.length > (rule.longest ?? Number.POSITIVE_INFINITY))
    return [`${path} has ${text.length} letters; AWS takes ${rule.shortest ?? 0} to ${rule.longest}`];
  if (Number(value) < (rule.least ?? -Infinity) || Number(value) > (rule.most ?? Infinity))
    return [`${given}; AWS takes ${rule.least ?? 'any'} to ${rule.most ?? 'any'}`];
  return [];
}
