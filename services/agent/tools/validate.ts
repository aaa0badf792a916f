import { Ajv, type ErrorObject } from 'ajv';
import formatsPlugin from 'ajv-formats';
import type { CompiledTool } from '../../agent-files/definition/compiled.ts';
import { schemaBoundsProblem } from '../../agent-files/definition/schema-bounds.ts';
import { closedParameters, withoutDialect } from '../../agent-files/definition/tool-arguments.ts';
import { storable } from '../../store/text.ts';
import { failed, succeeded, type ToolResult } from './result.ts';

const mostFaultsTold = 5;
const longestFault = 200;
/** As JSON; larger than what anybody says in a conversation, smaller than what would burden an endpoint or the database. */
const mostCharacters = 32_768;
const mostItems = 1_000;

/** Answers the arguments themselves, or the sentence that lets the model correct them. */
export type ArgumentsCheck = (args: unknown) => ToolResult;

/**
 * Prepares the check of a tool's arguments. Those that its schema does not name are refused, unless it says
 * `additionalProperties`.
 *
 * @throws Error when the schema itself is wrong, which the loader reports before
 */
export const makeArgumentsCheck = ({ name, parameters }: Pick<CompiledTool, 'name' | 'parameters'>): ArgumentsCheck =>
  makeMatch({ name, parameters: closedParameters(parameters) });

/** Prepares a check against any JSON Schema. Values are not converted: `"4"` is no integer. @throws Error as above */
export function makeMatch({ name, parameters }: Pick<CompiledTool, 'name' | 'parameters'>): ArgumentsCheck {
  // A version that went live before validation asked for bounds.
  if (schemaBoundsProblem(parameters)) return () => failed(`${name} is not set up rightly and cannot be used now.`);
  const validate = makeAjv().compile(withoutDialect(parameters));
  const refusal = (faults: readonly string[]) =>
    failed(
      `The arguments for ${name} are wrong, so it did not run: ${faults.join('; ')}. ` +
        'Correct them and call it again; ask the person for what you do not know.',
    );
  return (args) => {
    const unusable = faultOfText(args);
    if (unusable) return refusal([unusable]);
    if (validate(args)) return succeeded(args);
    const faults = new Set(
      (validate.errors ?? []).map((error) => describe(error).slice(0, longestFault).toWellFormed()),
    );
    return refusal([...faults].slice(0, mostFaultsTold));
  };
}

/** What no schema says: that arguments can be written down, and fit. */
function faultOfText(args: unknown): string | undefined {
  try {
    const text = JSON.stringify(args, (key, value: unknown) => {
      if (storable(key) !== key || (typeof value === 'string' && storable(value) !== value)) throw new Error('no text');
      return value;
    });
    if (text !== undefined && text.length > mostCharacters) return `they are longer than ${mostCharacters} characters`;
    return hasLongList(args) ? `a list has more than ${mostItems} items` : undefined;
  } catch {
    return 'they contain characters that are no text, or are nested too deeply';
  }
}

/** Items of a list are compared with each other where they have to differ. */
const hasLongList = (value: unknown): boolean =>
  typeof value === 'object' &&
  value !== null &&
  ((Array.isArray(value) && value.length > mostItems) || Object.values(value).some(hasLongList));

/** Bounds of patterns hold for texts of this length (`patterns.ts`); none of a longer one is looked for. */
const matchedCharacters = 1_000;

/** The engine of the validator, which is generated code and names it so. */
const boundedRegExp = Object.assign(
  (pattern: string, flags: string) => {
    const expression = new RegExp(pattern, flags);
    return { test: (text: string) => text.length <= matchedCharacters && expression.test(text) };
  },
  { code: 'new RegExp' },
);

/** One each: schemas of different tools may use the same `$id`. */
function makeAjv(): Ajv {
  const ajv = new Ajv({
    ...{ allErrors: true, strict: false, strictNumbers: true, logger: false },
    code: { regExp: boundedRegExp },
  });
  // The plugin is a CommonJS module whose types claim otherwise.
  (formatsPlugin as unknown as (ajv: Ajv) => void)(ajv);
  return ajv;
}

function describe({ instancePath, keyword, params, message }: ErrorObject): string {
  const path = instancePath.slice(1).replaceAll('/', '.');
  const at = (property: unknown) => `"${path ? `${path}.` : ''}${property}"`;
  if (keyword === 'required') return `${at(params.missingProperty)} is missing`;
  if (keyword === 'additionalProperties') return `${at(params.additionalProperty)} is not an argument`;
  const subject = path ? `"${path}"` : 'the whole';
  if (keyword === 'enum') return `${subject} must be one of ${params.allowedValues.map(String).join(', ')}`;
  if (keyword === 'const') return `${subject} must be ${JSON.stringify(params.allowedValue)}`;
  return `${subject} ${message ?? 'is not allowed'}`;
}
