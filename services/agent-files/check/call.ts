/** Whether the arguments that a script writes down fit the tool that it calls; what a placeholder becomes, nobody knows yet. */
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import formatsPlugin from 'ajv-formats';
import type { ScriptedCall } from '../../contract/generated/agent.ts';
import { nearest } from '../../contract/nearest.ts';
import { closedParameters, withoutDialect } from '../definition/tool-arguments.ts';
import type { Finding } from '../faults.ts';

type Schema = Record<string, unknown>;

/** `parameters` must be a usable schema; `path` leads to the call. */
export function checkCallArguments(call: ScriptedCall, parameters: Schema, path: readonly string[]): Finding[] {
  const validate = validatorOf(parameters);
  if (validate(call.arguments)) return [];
  return (validate.errors ?? [])
    .filter((error) => isCertain(error))
    .map((error) => findingOf(error, call, [...path, 'arguments']));
}

/** Compiling costs milliseconds; many agents share a tool, or have the same languages to switch between. */
const validators = new Map<string, ValidateFunction>();
const mostValidators = 1_000;

function validatorOf(parameters: Schema): ValidateFunction {
  const key = JSON.stringify(parameters);
  const known = validators.get(key);
  if (known) return known;
  const ajv = new Ajv({ allErrors: true, strict: false, verbose: true, logger: false });
  // The plugin is a CommonJS module whose types claim otherwise.
  (formatsPlugin as unknown as (ajv: Ajv) => void)(ajv);
  const validate = ajv.compile(closedParameters(withoutDialect(parameters)));
  const [oldest] = validators.keys();
  if (validators.size >= mostValidators && oldest !== undefined) validators.delete(oldest);
  validators.set(key, validate);
  return validate;
}

/** Within an alternative: what is wrong with it is told by the alternatives as a whole. */
const isWithinAlternative = /\/(?:anyOf|oneOf|not|if|then|else)\//;

function isCertain({ keyword, schemaPath, data }: ErrorObject): boolean {
  if (isWithinAlternative.test(schemaPath)) return false;
  if (keyword === 'required' || keyword === 'additionalProperties') return true;
  // With other words around it, a placeholder becomes a text and nothing else.
  if (keyword === 'type' && typeof data === 'string') return !isOnlyPlaceholder.test(data);
  return !hasPlaceholder.test(JSON.stringify(data));
}

const hasPlaceholder = /\{\{[^{}]*\}\}/;
const isOnlyPlaceholder = /^\s*\{\{[^{}]*\}\}\s*$/;

function findingOf(
  { instancePath, keyword, params, parentSchema, message }: ErrorObject,
  { tool }: ScriptedCall,
  path: readonly string[],
): Finding {
  const within = instancePath.split('/').slice(1).map(unescaped);
  const place = [...path, ...within];
  const rule = 'rule-arguments';
  const nameOf = (name: unknown) => `"${[...within, name].join('.')}"`;
  if (keyword === 'required')
    return {
      path: place,
      at: 'key',
      rule,
      message: `${tool} needs ${nameOf(params.missingProperty)}: add it to "arguments".`,
    };
  if (keyword === 'additionalProperties') {
    const name = String(params.additionalProperty);
    const known = Object.keys((parentSchema?.properties ?? {}) as Schema);
    const near = nearest(name, known);
    const hint = near === undefined ? `Known: ${known.slice(0, 20).join(', ') || 'none'}.` : `Did you mean "${near}"?`;
    return { path: [...place, name], at: 'key', rule, message: `${tool} has no parameter ${nameOf(name)}. ${hint}` };
  }
  return {
    path: place,
    rule,
    message: `${tool} would refuse this: "${within.join('.')}" ${wrong(keyword, params, message)}.`,
  };
}

const wrong = (keyword: string, params: ErrorObject['params'], message = 'does not fit its parameters'): string =>
  keyword === 'enum' ? `must be one of ${params.allowedValues.map(String).join(', ')}` : message;

const unescaped = (key: string): string => key.replaceAll('~1', '/').replaceAll('~0', '~');
