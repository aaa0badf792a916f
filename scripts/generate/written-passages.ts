/** Which passages of files that people write are written by `npm run generate`, and from what. */
import type { Provider } from '../../services/agent/providers/provider.ts';
import { modelsNotBuiltIn, providers } from '../../services/agent/providers/registry.ts';
import { row, withField, withPassage } from './passages.ts';

export interface WrittenPassage {
  /** From the root of the repository. */
  file: string;
  /** The file's text with its passages as they should be. */
  write(text: string): string;
}

const namesOf = (has: (provider: Provider) => unknown): string[] => providers.filter(has).map(({ name }) => name);

export const writtenPassages: readonly WrittenPassage[] = [
  {
    file: 'schemas/agent.schema.json',
    write: (text) => {
      const speech = withField(
        text,
        'SpeechProvider',
        'enum',
        namesOf(({ speech }) => speech),
      );
      const realtime = withField(
        speech,
        'RealtimeProvider',
        'enum',
        namesOf(({ realtime }) => realtime),
      );
      const models = withField(realtime, 'ModelProvider', 'enum', ['auto', ...namesOf(({ model }) => model)]);
      return withField(models, 'notBuiltIn', 'values', modelsNotBuiltIn);
    },
  },
  {
    file: 'schemas/policies.schema.json',
    write: (text) =>
      withField(text, 'propertyNames', 'enum', [...namesOf(({ region }) => region !== 'here'), ...modelsNotBuiltIn]),
  },
  { file: 'docs/speech.md', write: (text) => withPassage(text, 'providers of speech', speechTable()) },
];

function speechTable(): string {
  return [
    row(
      '`provider`',
      'Key, unless `apiKey` names another variable',
      'Recognition',
      'Voices, as `languages[].voices[].model`',
    ),
    row('---', '---', '---', '---').replaceAll(' ', ''),
    ...providers.flatMap(({ name, key, speech }) =>
      speech ? [row(`\`${name}\``, key ? `\`${key}\`` : 'none', speech.docs.recognition, speech.docs.voices)] : [],
    ),
  ].join('\n');
}
