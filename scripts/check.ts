/** `npm run check`: format, lint, import directions, types, generated code, ends of support. Exits with 1 when something is wrong. */
import { join } from 'node:path';
import { endingSoon } from '../infra/versions.ts';
import { type Part, runFromNothing } from './check/from-nothing.ts';
import { failedChecks } from './toolchain/checks.ts';
import { Fault } from './toolchain/fault.ts';
import { readArguments, runScript } from './toolchain/script.ts';

const help = `Usage: npm run check
       npm run check -- --from-nothing [--only start|test] [<part of a test file's path> …]

Says whether format, lint, import directions and types are right, generated code is current and the agents are valid, and
whether a version that a stack installs is mended for another 90 days. It changes nothing. Exit status 1 when something is wrong.

  --from-nothing  instead does what README's two commands say, for the last commit, in a fresh clone with an empty HOME and no
                  cache: npm start, a first conversation, Ctrl-C, npm test. About an hour on two cores. The last line says whether
                  it passed.
  --only          one of the two commands; words after it choose among the tests`;

const parts: readonly Part[] = ['start', 'test'];
const say = (line: string) => process.stdout.write(`${line}\n`);

async function fromNothing(only: string | undefined, tests: readonly string[]): Promise<void> {
  const chosen = parts.filter((part) => only === undefined || part === only);
  if (chosen.length === 0) throw new Fault(`--only is "${only}": give start or test.`);
  try {
    await runFromNothing({ root: join(import.meta.dirname, '..'), parts: chosen, tests, say });
    say('From nothing: passed');
  } catch (error) {
    process.exitCode = 1;
    say(`${error instanceof Error ? error.message : String(error)}\nFrom nothing: failed`);
  }
}

/** Not among the checks that tests begin with: a day on the calendar says nothing of the sources. @returns how many there are */
function alarms(): number {
  const ending = endingSoon(new Date());
  for (const sentence of ending) say(`FAILED ${sentence}`);
  return ending.length;
}

await runScript(async (args) => {
  const { values, positionals } = readArguments({
    args,
    allowPositionals: true,
    options: {
      'from-nothing': { type: 'boolean' },
      only: { type: 'string' },
      help: { type: 'boolean', short: 'h' },
    },
  });
  if (values.help) say(help);
  else if (values['from-nothing']) await fromNothing(values.only, positionals);
  else process.exitCode = (await failedChecks()).length + alarms() === 0 ? 0 : 1;
});
