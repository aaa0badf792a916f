import { aText, aWholeNumber, oneOf } from '../../process/environment.ts';
import { nameOfFilled } from '../forms.ts';
import { groupWith, optional, required, setting } from '../setting.ts';

/** What agents have to pass before they go live, and who judges it. */
export const scenarios = {
  activation: setting({
    name: 'PARLEY_ACTIVATION',
    readBy: { worker: 'whole' },
    holds: '"whole" (a failing scenario refuses the revision) or "by-agent" (it holds back its own agent only)',
    parse: oneOf('whole', 'by-agent'),
    says: 'What a failing scenario refuses: the whole revision, or its own agent only.',
  }),
  scenarioModel: setting({
    name: 'PARLEY_SCENARIO_MODEL',
    readBy: { worker: 'scripted' },
    holds: '"scripted" (agents with a script are tried on it) or "declared" (on the model that they name)',
    parse: oneOf('scripted', 'declared'),
    says: 'What agents with a script are tried on: the script, or the model that they name.',
  }),
  scenarioSeconds: setting({
    name: 'PARLEY_SCENARIO_SECONDS',
    readBy: { worker: 120 },
    holds: 'seconds from 5 to 3600',
    parse: aWholeNumber(5, 3_600),
    says: 'How long the scenarios of a revision may take.',
  }),
  passesSecretEnv: setting({
    name: 'PARLEY_AGENTS_PASSES_SECRET_ENV',
    readBy: { worker: optional },
    holds: 'the name of a variable that holds the secret of scenario passes',
    parse: nameOfFilled,
    namesSecret: true,
    otherwise: 'none are taken',
    says: 'Which variable holds the secret that a pipeline signs the passes with which it hands over.',
  }),
  judge: groupWith('model', {
    model: setting({
      name: 'PARLEY_JUDGE_MODEL',
      readBy: { scenarios: required },
      holds: "a model's name",
      parse: aText,
      otherwise: '`judge` expectations are not judged',
      says: 'The model that decides `judge` expectations.',
    }),
    baseUrl: setting({
      name: 'PARLEY_JUDGE_BASE_URL',
      readBy: { scenarios: optional },
      holds: "the address of the model's server",
      parse: aText,
      otherwise: "OpenAI's",
      says: 'Its server.',
    }),
    apiKey: setting({
      name: 'PARLEY_JUDGE_API_KEY',
      readBy: { scenarios: optional },
      holds: "the server's key",
      parse: aText,
      secret: true,
      otherwise: '`OPENAI_API_KEY`, where the server is theirs',
      says: 'Its key.',
    }),
  }),
};
