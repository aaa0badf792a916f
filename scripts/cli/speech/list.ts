import { Command } from '@commander-js/extra-typings';
import { bytesOf, type SpeechModel, speechModels } from '../../../services/agent-files/definition/speech-models.ts';
import { say } from '../../toolchain/say.ts';
import { isFetched } from '../../toolchain/speech-models.ts';
import { sayTable } from '../table.ts';

export const command = new Command()
  .description('Lists the models of speech that run on this machine, and which of them are here')
  .action(() => {
    sayTable(say, [['MODEL', 'HERE', 'SIZE', 'LANGUAGES', 'LICENCE', 'WHAT IT IS'], ...speechModels.map(toCells)]);
    say('');
    say('More: npx parley speech fetch <model>. Agents name a voice as its "model"; see docs/write-agents/speech.md.');
  });

function toCells(model: SpeechModel): string[] {
  const { name, languages, licence, says } = model;
  const size = `${Math.round(bytesOf(model) / 1_000_000)} MB`;
  const spoken = languages.length > 3 ? `${languages.length} languages` : languages.join(', ');
  return [name, isFetched(model) ? 'yes' : 'no', size, spoken, licence, says];
}
