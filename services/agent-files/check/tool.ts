/** What the schema of a tool cannot say: its name, who answers it, its parameters and its address. */
import { Ajv } from 'ajv';
import formatsPlugin from 'ajv-formats';
import type { HttpCall, ToolFile } from '../../contract/generated/tool.ts';
import { nearest } from '../../contract/nearest.ts';
import { isBuiltinTool } from '../builtin-tools/registry.ts';
import { schemaBoundsProblem } from '../definition/schema-bounds.ts';
import type { Finding } from '../faults.ts';
import { checkParameterNames } from './parameter-names.ts';
import type { Sound } from './soundness.ts';
import { type Environment, webhookUrlProblem } from './webhook-url.ts';

/** `fileName` without `.yaml`. */
export function checkTool(file: ToolFile, sound: Sound, fileName: string, environment: Environment): Finding[] {
  const { name, parameters, http } = file;
  return [
    ...(sound('name') ? checkName(name, fileName) : []),
    ...(sound('http') && sound('client') ? checkAnswerer(file) : []),
    ...(sound('parameters') ? checkParameters(parameters) : []),
    ...(sound('parameters') && sound('keypad') ? checkKeypad(file) : []),
    ...(sound('parameters') && sound('keypad') && sound('http') && http ? checkHttp(file, http, environment) : []),
  ];
}

function checkName(name: string, fileName: string): Finding[] {
  if (isBuiltinTool(name)) {
    return [{ path: ['name'], rule: 'tool-name', message: `"${name}" is a built-in tool; choose another name.` }];
  }
  if (name === fileName) return [];
  return [
    {
      path: ['name'],
      rule: 'tool-name',
      message: `"name" must be the file's name, "${fileName}", or the file be called ${name}.yaml.`,
    },
  ];
}

function checkAnswerer({ http, client }: ToolFile): Finding[] {
  if (http && client) {
    return [
      {
        path: ['client'],
        at: 'key',
        rule: 'tool-answerer',
        message: 'A tool has either "http" or "client: true", not both.',
      },
    ];
  }
  if (http || client) return [];
  return [
    {
      path: [],
      at: 'key',
      rule: 'tool-answerer',
      message: 'Say who answers the tool: "http" with an address, or "client: true".',
    },
  ];
}

function checkParameters(parameters: Record<string, unknown>): Finding[] {
  const path = ['parameters'];
  if (parameters.type !== 'object') {
    return [
      { path, at: 'key', rule: 'tool-parameters', message: '"parameters" must be a JSON Schema with type: object.' },
    ];
  }
  const problem = schemaProblem(parameters);
  if (problem === undefined) return checkParameterNames(parameters, path);
  return [{ path: [...path, ...problem.path], rule: 'tool-parameters', message: problem.message }];
}

/** Compiles as the agent host does before a call: without formats of its own making and without a dialect. */
export function schemaProblem({
  $schema: _dialect,
  ...schema
}: Record<string, unknown>): { path: string[]; message: string } | undefined {
  const ajv = new Ajv({ strict: false, logger: false, allErrors: true });
  // The plugin is a CommonJS module whose types claim otherwise.
  (formatsPlugin as unknown as (ajv: Ajv) => void)(ajv);
  try {
    if (!ajv.validateSchema(schema)) {
      // The deepest error is the cause; those above only say that some alternative failed.
      const [error] = (ajv.errors ?? []).toSorted((a, b) => depthOf(b.instancePath) - depthOf(a.instancePath));
      const path = (error?.instancePath ?? '').split('/').slice(1);
      return { path, message: wrongKeyword(path, error?.keyword === 'type' ? `${error.message}` : undefined) };
    }
    // Before it is compiled, which follows every reference itself.
    const unbounded = schemaBoundsProblem(schema);
    if (unbounded !== undefined) return unbounded;
    ajv.compile(schema);
    return undefined;
  } catch (error) {
    const reason = error instanceof Error ? error.message.split('\n')[0]?.slice(0, 200) : 'unknown';
    return { path: [], message: `"parameters" is not a usable JSON Schema: ${reason}.` };
  }
}

const depthOf = (pointer: string): number => pointer.split('/').length;

const schemaTypes = ['string', 'number', 'integer', 'boolean', 'array', 'object', 'null'];

function wrongKeyword(path: readonly string[], expected: string | undefined): string {
  const keyword = path.at(-1) ?? 'parameters';
  if (keyword === 'type') return `"type" must be one of ${schemaTypes.join(', ')}.`;
  return `"${keyword}" is not right for JSON Schema${expected === undefined ? '' : `: it ${expected}`}.`;
}

/** Sent by the service itself, or a matter of the connection. */
const ownHeaders = [
  'idempotency-key',
  'x-signature',
  'host',
  'content-length',
  'transfer-encoding',
  'connection',
  'expect',
];

const checkHeaders = ({ headers }: HttpCall): Finding[] =>
  Object.keys(headers)
    .filter((name) => ownHeaders.includes(name.toLowerCase()))
    .map((name) => {
      const message = `"${name}" is set by the service itself; leave it out.`;
      return { path: ['http', 'headers', name], at: 'key', rule: 'tool-header', message };
    });

/** Who types it and how much. */
function checkKeypad({ keypad, parameters }: ToolFile): Finding[] {
  if (!keypad) return [];
  const { parameter, digits, least = digits } = keypad;
  const findings: Finding[] = [];
  if (namesOf(parameters).includes(parameter)) {
    const message = `The person types "${parameter}", so the model must not give it: take it out of "parameters".`;
    findings.push({ path: ['keypad', 'parameter'], rule: 'keypad', message });
  }
  if (least > digits) {
    const message = `"least" (${least}) must not be more than "digits" (${digits}).`;
    findings.push({ path: ['keypad', 'least'], rule: 'keypad', message });
  }
  return findings;
}

const namesOf = ({ properties }: Record<string, unknown>): string[] =>
  typeof properties === 'object' && properties !== null ? Object.keys(properties) : [];

function checkHttp({ parameters, keypad }: ToolFile, http: HttpCall, environment: Environment): Finding[] {
  const { url } = http;
  const path = typeof url === 'string' ? ['http', 'url'] : ['http', 'url', 'path'];
  const text = typeof url === 'string' ? url : url.path;
  const problem = typeof url === 'string' ? addressProblem(url, environment) : undefined;
  return [
    ...(problem === undefined ? [] : [{ path, rule: 'tool-url', message: problem }]),
    ...checkPlaceholders(text, path, [...namesOf(parameters), ...(keypad ? [keypad.parameter] : [])]),
    ...checkHeaders(http),
  ];
}

function addressProblem(url: string, environment: Environment): string | undefined {
  const origin = /^[a-z]+:\/\/[^/?#]*/i.exec(url)?.[0] ?? url;
  if (origin.includes('{{')) return 'The host must be written out: arguments may fill in the path and the query only.';
  return webhookUrlProblem(url.replaceAll(/\{\{[^{}]*\}\}/g, 'x'), environment);
}

function checkPlaceholders(text: string, path: readonly string[], known: readonly string[]): Finding[] {
  return [...text.matchAll(/\{\{\s*([^{}]*?)\s*\}\}/g)].flatMap(([placeholder, name = '']): Finding[] => {
    if (known.includes(name)) return [];
    const near = nearest(name, known);
    const hint = near === undefined ? `Known: ${known.join(', ') || 'none'}.` : `Did you mean {{${near}}}?`;
    return [
      { path, within: placeholder, rule: 'tool-placeholder', message: `The tool has no parameter "${name}". ${hint}` },
    ];
  });
}
