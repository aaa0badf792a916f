import { expect, test } from 'vitest';
import { builtinTool } from '../definition/builtin-tool.ts';

const choices = { languages: ['en'], collect: undefined };

test('the model chooses a destination by name and never sees a number', () => {
  const transfers = { desk: { number: '+4930123456', description: 'For stays.' } };
  const tool = builtinTool('transfer', { ...choices, transfers });
  expect(JSON.stringify(tool)).not.toContain('4930123456');
  expect(tool.parameters).toMatchObject({ required: ['to'], properties: { to: { enum: ['desk'] } } });
  expect(tool.description).toContain('desk: For stays.');
  // Somebody's telephone rings: it is not done again when nobody knows what came of it.
  expect(tool.idempotent).toBe(false);
});

test('without destinations the tool is what it was before there were any', () => {
  const tool = builtinTool('transfer', { ...choices, transfers: undefined });
  expect(tool).toMatchObject({ timeoutMs: 10_000, idempotent: true, parameters: { properties: { reason: {} } } });
  expect(tool.parameters).not.toHaveProperty('required');
});
