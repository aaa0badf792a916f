/** The JSON Schemas of `schemas/`, each compiled once, by the first value it is asked about. Validating fills in defaults, in place. */
import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import agentSchema from '../../schemas/agent.schema.json' with { type: 'json' };
import apiSchema from '../../schemas/api.schema.json' with { type: 'json' };
import passesSchema from '../../schemas/passes.schema.json' with { type: 'json' };
import policiesSchema from '../../schemas/policies.schema.json' with { type: 'json' };
import scenarioSchema from '../../schemas/scenario.schema.json' with { type: 'json' };
import tenantSchema from '../../schemas/tenant.schema.json' with { type: 'json' };
import toolSchema from '../../schemas/tool.schema.json' with { type: 'json' };
import type { DeclaredTelephone } from './declared-telephone.ts';
import { durationMs, parseDuration } from './durations.ts';
import type { AgentFile } from './generated/agent.ts';
import type { ApiBodies } from './generated/api.ts';
import type { PassesFile } from './generated/passes.ts';
import type { PoliciesFile } from './generated/policies.ts';
import type { ScenarioFile } from './generated/scenario.ts';
import type { TenantConfiguration } from './generated/tenant.ts';
import type { ToolFile } from './generated/tool.ts';

/** With the files of which definitions are asked for by themselves. */
function makeAjv(): Ajv2020 {
  const ajv = new Ajv2020({
    ...{ allErrors: true, useDefaults: true, allowUnionTypes: true, strict: true },
    // The wording of a fault needs the schema and the value it is about.
    verbose: true,
    // 50 ms, of which the first caller would wait; a test holds them against it.
    validateSchema: false,
  });
  // Values that people ask for and that are refused, with a sentence that says what to write instead.
  ajv.addVocabulary(['notBuiltIn']);
  ajv.addKeyword(durationBound('durationMinimum', (ms, bound) => ms >= bound));
  ajv.addKeyword(durationBound('durationMaximum', (ms, bound) => ms <= bound));
  ajv.addSchema([apiSchema, tenantSchema]);
  return ajv;
}

/** A text that is no duration passes here: `pattern` beside it says so. */
function durationBound(keyword: string, holds: (ms: number, boundMs: number) => boolean) {
  return {
    keyword,
    type: 'string' as const,
    schemaType: 'string' as const,
    compile: (bound: string) => {
      const boundMs = durationMs(bound);
      return (text: string) => {
        const ms = parseDuration(text);
        return ms === undefined || holds(ms, boundMs);
      };
    },
  };
}

export type SchemaError = ErrorObject;

/** Says whether a value is one, and fills in defaults; afterwards `errors` says what is wrong with it. */
export interface Validator<T> {
  (value: unknown): value is T;
  errors?: SchemaError[] | null | undefined;
}

let ajv: Ajv2020 | undefined;

/** Compiled by the first value: a process asks few of them, and all together were a third of what the API's start took (0.25 s of CPU). */
function validatorOf<T>(schema: object): Validator<T> {
  let compiled: ValidateFunction<T> | undefined;
  const validate: Validator<T> = (value): value is T => {
    ajv ??= makeAjv();
    compiled ??= ajv.compile<T>(schema);
    const isOne = compiled(value);
    validate.errors = compiled.errors;
    return isOne;
  };
  return validate;
}

export const validateAgentFile = validatorOf<AgentFile>(agentSchema);
export const validateToolFile = validatorOf<ToolFile>(toolSchema);
export const validateScenarioFile = validatorOf<ScenarioFile>(scenarioSchema);
export const validatePoliciesFile = validatorOf<PoliciesFile>(policiesSchema);
export const validateTenantConfiguration = validatorOf<TenantConfiguration>(tenantSchema);
/** Fields of a stack's configuration whose values are texts; the others are JSON. */
export const tenantFields = tenantSchema.properties;
/** What `phone` of a stack's configuration declares, as it is handed on. */
export const validateDeclaredTelephone = validatorOf<DeclaredTelephone>({
  type: 'object',
  additionalProperties: false,
  required: ['trunks', 'numbers'],
  properties: {
    trunks: { type: 'array', items: { $ref: 'tenant.schema.json#/$defs/DeclaredTrunk' } },
    numbers: { type: 'array', items: { $ref: 'tenant.schema.json#/$defs/DeclaredNumber' } },
  },
});
export const validatePassesFile = validatorOf<PassesFile>(passesSchema);

const bodyValidator = <Name extends keyof ApiBodies>(name: Name): Validator<ApiBodies[Name]> =>
  validatorOf<ApiBodies[Name]>({ $ref: `api.schema.json#/$defs/${name}` });

export const bodyValidators: { [Name in keyof ApiBodies]: Validator<ApiBodies[Name]> } = {
  createSession: bodyValidator('createSession'),
  createToken: bodyValidator('createToken'),
  transcription: bodyValidator('transcription'),
  signIn: bodyValidator('signIn'),
  forgottenPassword: bodyValidator('forgottenPassword'),
  resetPassword: bodyValidator('resetPassword'),
  leaveToSignIn: bodyValidator('leaveToSignIn'),
  linkIdentity: bodyValidator('linkIdentity'),
  finishLink: bodyValidator('finishLink'),
  signInByLink: bodyValidator('signInByLink'),
  acceptInvitation: bodyValidator('acceptInvitation'),
  inviteMember: bodyValidator('inviteMember'),
  changeMember: bodyValidator('changeMember'),
  regenerateCredential: bodyValidator('regenerateCredential'),
  testWebhook: bodyValidator('testWebhook'),
  tryAgent: bodyValidator('tryAgent'),
  changeTenant: bodyValidator('changeTenant'),
  addScenario: bodyValidator('addScenario'),
  changePrompt: bodyValidator('changePrompt'),
  previewPrompt: bodyValidator('previewPrompt'),
  changeWebhook: bodyValidator('changeWebhook'),
  createTrunk: bodyValidator('createTrunk'),
  changeTrunk: bodyValidator('changeTrunk'),
  createNumber: bodyValidator('createNumber'),
  changeNumber: bodyValidator('changeNumber'),
  askForCall: bodyValidator('askForCall'),
  optOut: bodyValidator('optOut'),
};
