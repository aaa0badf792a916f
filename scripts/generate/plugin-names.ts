/** The models and voices that the installed plugins know by name: types there, which are gone when a program runs. */
import { readFile } from 'node:fs/promises';

/** Which types of which declaration file name what. What is not here, the plugin does not name. */
const sources = {
  openai: {
    chat: ['models', 'ChatModels'],
    recognition: ['models', 'STTModels'],
    synthesis: ['models', 'TTSModels'],
    voices: ['models', 'TTSVoices'],
  },
  deepgram: {
    recognition: ['models', 'STTModels', 'V2Models'],
    synthesis: ['models', 'TTSModels'],
    // Each of its voices is a model.
    voices: ['models', 'TTSModels'],
  },
  elevenlabs: { recognition: ['stt', 'ElevenLabsSTTModels'], synthesis: ['models', 'TTSModels'] },
  cartesia: { recognition: ['models', 'STTModel'], synthesis: ['models', 'TTSModels'] },
} as const;

/** The text of services/contract/generated/plugin-names.ts. @throws Error when a plugin names something otherwise than before */
export async function pluginNamesText(): Promise<string> {
  const providers = await Promise.all(
    Object.entries(sources).map(async ([provider, kinds]) => {
      const lists = Object.entries<readonly string[]>(kinds).map(async ([kind, [file, ...types]]) => {
        const declarations = await readFile(
          new URL(`../../node_modules/@livekit/agents-plugin-${provider}/dist/${file}.d.ts`, import.meta.url),
          'utf8',
        );
        const found = [...new Set(types.flatMap((type) => literalsOf(declarations, type)))];
        return `    ${kind}: [\n${found.map((name) => `      '${name}',\n`).join('')}    ],\n`;
      });
      return `  ${provider}: {\n${(await Promise.all(lists)).join('')}  },\n`;
    }),
  );
  return [
    '// Generated from the installed speech plugins by `npm run generate`. Do not edit.',
    `export const pluginNames = {\n${providers.join('')}} as const;\n`,
  ].join('\n');
}

/** The texts of a union of literals, which may name other unions of the same file. */
function literalsOf(declarations: string, type: string): string[] {
  const [, union] = new RegExp(`export type ${type} = ([^;]*);`).exec(declarations) ?? [];
  if (union === undefined)
    throw new Error(`the plugin has no type ${type} any more: change scripts/generate/plugin-names.ts`);
  return union
    .split('|')
    .map((part) => part.trim())
    .flatMap((part) => /^'([^'\\]*)'$/.exec(part)?.[1] ?? literalsOf(declarations, part));
}
