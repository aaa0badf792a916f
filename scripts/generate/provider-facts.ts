/** What the rest of the house knows of providers, from the registry of the agent host and the installed plugins. */
import { readFile } from 'node:fs/promises';
import type { PluginNames, Provider } from '../../services/agent/providers/provider.ts';
import { providers } from '../../services/agent/providers/registry.ts';
import type { ProviderFacts } from '../../services/contract/provider-facts.ts';

/** The text of services/contract/generated/providers.ts. @throws Error when a plugin names something otherwise than before */
export async function providerFactsText(): Promise<string> {
  const facts = await Promise.all(providers.map(async (provider) => [provider.name, await factsOf(provider)] as const));
  return [
    '// Generated from services/agent/providers and the installed plugins by `npm run generate`. Do not edit.',
    "import type { ProviderFacts } from '../provider-facts.ts';",
    '',
    `export const providerFacts: Readonly<Record<string, ProviderFacts>> = ${JSON.stringify(Object.fromEntries(facts), null, 2)};\n`,
  ].join('\n');
}

async function factsOf({ key, region, endpoint, hosts, speech, model }: Provider): Promise<ProviderFacts> {
  const { names, usual, protocol, needsScript } = model ?? {};
  return {
    ...(key && { key }),
    region,
    ...(endpoint && { endpoint }),
    ...(hosts && { hosts }),
    ...(speech && { speech: speech.names ? await namesOf(speech.names) : {} }),
    ...(model && {
      model: {
        ...(names && (await namesOf(names))),
        ...(usual && { usual }),
        ...(protocol && { protocol }),
        ...(needsScript && { needsScript }),
      },
    }),
  };
}

/** The names of models and voices are types there, which are gone when a program runs. */
async function namesOf<Kind extends string>({
  plugin,
  ...kinds
}: PluginNames<Kind>): Promise<{ [kind in Kind]?: string[] }> {
  const sources = Object.entries(kinds) as [Kind, { file: string; types: readonly string[] }][];
  const lists = sources.map(async ([kind, { file, types }]) => {
    const declarations = await readFile(
      new URL(`../../node_modules/${plugin}/dist/${file}.d.ts`, import.meta.url),
      'utf8',
    );
    return [kind, [...new Set(types.flatMap((type) => literalsOf(declarations, type)))]] as const;
  });
  return Object.fromEntries(await Promise.all(lists)) as { [kind in Kind]?: string[] };
}

/** The texts of a union of literals, which may name other unions of the same file. */
function literalsOf(declarations: string, type: string): string[] {
  const [, union] = new RegExp(`export type ${type} = ([^;]*);`).exec(declarations) ?? [];
  if (union === undefined)
    throw new Error(`the plugin has no type ${type} any more: change the provider's provider.ts`);
  return union
    .split('|')
    .map((part) => part.trim())
    .flatMap((part) => /^'([^'\\]*)'$/.exec(part)?.[1] ?? literalsOf(declarations, part));
}
