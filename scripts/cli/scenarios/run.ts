import { Command, Option } from '@commander-js/extra-typings';
import { settings } from '../../../services/settings/settings.ts';
import { Fault } from '../../toolchain/fault.ts';
import { givenPath } from '../../toolchain/given-path.ts';
import { agentsOption } from '../agents-folder.ts';

const judge = settings.judge.settings;

const mostRepeats = 100;

/** 1 says that a scenario failed. */
export const failed = 2;

export const command = new Command()
  .description('Runs the conversations that agents must get right')
  .argument('[agents...]', 'names or files (restaurant, agents/scenarios/restaurant.yaml); without any, all agents')
  .addOption(agentsOption())
  .addOption(
    new Option(
      '--model <which>',
      "scripted: the embedded model wherever the agent has a script; declared: the file's own",
    )
      .choices(['scripted', 'declared'])
      .default('scripted' as const),
  )
  .option('--repeat <times>', 'how often each runs on a real model, instead of its own "repeat"', wholeNumber)
  .option('--live', 'tools without an answer in a scenario are really called, and scenarios with "live: true" run')
  .option('--junit <file>', 'writes the results as JUnit XML, too', givenPath)
  .option('--passes <file>', 'writes which agents passed everything, for an installation that takes passes', givenPath)
  .addHelpText(
    'after',
    `
They run without a room and without a database. On the scripted model the result is always the same; a declared one needs its key.

An installation takes --passes (docs/write-agents/agents-in-git.md) of the --model that it asks for, and none made with --repeat or --live.

${judge.model.name} (with ${judge.baseUrl.name} and ${judge.apiKey.name}) names the model that decides "judge" expectations;
without it they are not judged, and counted.

Exit status: 0 all passed, 1 one failed, 2 the agents have faults or nothing was found to run.`,
  )
  .action(async (names, { agents, model, repeat, live = false, junit, passes }) => {
    if (passes !== undefined && (live || repeat !== undefined))
      throw new Fault('--passes cannot be combined with --repeat or --live.');
    // The agents' framework takes a second to load, which the general help need not wait for.
    const { runScenarios } = await import('./run/run.ts');
    const settings = { model, live, ...(repeat !== undefined && { repeat }) };
    process.exitCode = await runScenarios({ folder: agents, names, settings, junit, passes });
  });

function wholeNumber(given: string): number {
  const repeat = Number(given);
  if (Number.isInteger(repeat) && repeat >= 1 && repeat <= mostRepeats) return repeat;
  throw new Fault(`--repeat must be a number from 1 to ${mostRepeats}.`);
}
