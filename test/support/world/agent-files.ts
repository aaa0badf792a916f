import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import type { World } from './world.ts';

type Fields = Record<string, unknown> & { limits?: Record<string, unknown> };

/**
 * Further agents in a world: each is the tests' echo agent with these fields instead of its own (`limits` one by one), and
 * live when this resolves.
 */
export async function addAgents(world: World, agents: Readonly<Record<string, Fields>>): Promise<void> {
  const echo = parse(await readFile(join(world.agentsFolder, 'echo.yaml'), 'utf8')) as Fields;
  for (const [name, fields] of Object.entries(agents)) {
    const file = { ...echo, name, ...fields, limits: { ...echo.limits, ...fields.limits } };
    await writeFile(join(world.agentsFolder, `${name}.yaml`), stringify(file, { aliasDuplicateObjects: false }));
  }
  await world.publishAgents();
}

/** `model:` of an agent that runs on a local server of that protocol. */
export const openaiModel = (baseUrl: string, fields: Record<string, unknown> = {}) => ({
  provider: 'openai',
  name: 'test-model',
  baseUrl,
  ...fields,
});
