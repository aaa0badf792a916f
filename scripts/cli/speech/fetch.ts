import { Command } from '@commander-js/extra-typings';
import {
  type SpeechModel,
  speechModelNamed,
  speechModels,
} from '../../../services/agent-files/definition/speech-models.ts';
import { nearest } from '../../../services/contract/nearest.ts';
import { settings } from '../../../services/settings/settings.ts';
import { Fault } from '../../toolchain/fault.ts';
import { say } from '../../toolchain/say.ts';
import { fetchSpeech, isFetched, modelsFile } from '../../toolchain/speech-models.ts';

export const command = new Command()
  .description('Fetches models of speech to this machine; agent hosts that run find them by themselves')
  .argument('<model...>', 'names, as "npx parley speech list" shows them')
  .action(async (names) => {
    const models = names.map(known);
    const problems = await fetchSpeech(models, { progress: say });
    for (const problem of problems) say(problem);
    for (const model of models.filter(isFetched)) say(`${model.name} is here.`);
    if (problems.length > 0)
      throw new Fault('Not everything could be fetched; what has come so far is kept for the next try.');
    say(`For agent hosts that you start yourself: ${settings.speech.settings.models.name}=${modelsFile()}`);
  });

function known(name: string): SpeechModel {
  const model = speechModelNamed(name);
  if (model) return model;
  const near = nearest(
    name,
    speechModels.map((one) => one.name),
  );
  throw new Fault(`There is no model "${name}". ${near ? `Did you mean ${near}?` : 'See: npx parley speech list'}`);
}
