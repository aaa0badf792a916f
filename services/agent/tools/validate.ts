import { Ajv, type ErrorObject } from 'ajv';
import formatsPlugin from 'ajv-formats';
import type { CompiledTool } from '../../contract/agents/compiled.ts';
import { failed, succeeded, type ToolResult } from './result.ts';

const mostFaultsTold = 5;

/** Answers the arguments themselves, or the sentence that lets the model correct them. */
export type ArgumentsCheck = (args: unknown) => ToolResult;

/**
 * Prepares the check of a tool's arguments against its JSON Schema. Values are not converted: `"4"` is no integer.
 *
 * @throws Error when the schema itself is wrong, which the loader reports before
 */
export function makeArgumentsCheck({ name, parameters }: Pick<CompiledTool, 'name' | 'parameters'>): ArgumentsCheck {
  const validate = makeAjv().compile(withoutDialect(parameters));
  return (args) => {
    if (validate(args)) return succeeded(args);
    const faults = [...new Set((validate.errors ?? []).map(describe))].slice(0, mostFaultsTold);
    return failed(
      `The arguments for ${name} are wrong, so it did not run: ${faults.join('; ')}. ` +
        'Correct them and call it again; ask the person for what you do not know.',
    );
  };
}

/** One each: schemas of different tools may use the same `$id`. */
function makeAjv(): Ajv {
  const ajv = new Ajv({ allErrors: true, strict: false, logger: false });
  // The plugin is a CommonJS module whose types claim otherwise.
  (formatsPlugin as unknown as (ajv: Ajv) => void)(ajv);
  return ajv;
}

/** The validator knows the dialect it was made for only, and tools use what all dialects share. */
function withoutDialect({ $schema: _dialect, ...schema }: Record<string, unknown>): Record<string, unknown> {
  return schema;
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
