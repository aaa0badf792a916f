import { readdirSync, readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import * as schemas from './schemas.ts';

const folder = new URL('../../schemas/', import.meta.url);
const files = readdirSync(folder).filter((name) => name.endsWith('.schema.json'));

test.for(files)('%s is a JSON Schema', (name) => {
  const ajv = new Ajv2020();
  const isSchema = ajv.validateSchema(JSON.parse(readFileSync(new URL(name, folder), 'utf8')));
  expect([isSchema, ajv.errors]).toEqual([true, null]);
});

describe('a validator is compiled by the first value it is asked about', () => {
  const { bodyValidators, tenantFields: _, ...ofFiles } = schemas;
  const validators = Object.entries<schemas.Validator<unknown>>({ ...bodyValidators, ...ofFiles });

  test.for(validators)('%s refuses what is no object, and says why', ([, validate]) => {
    expect([validate('text'), validate.errors?.[0]?.keyword]).toEqual([false, 'type']);
  });
});
