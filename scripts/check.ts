/** `npm run check`: format, lint, import directions, types, generated code. Exits with 1 when something is wrong. */
import { failedChecks } from './toolchain/checks.ts';
import { readArguments, runScript } from './toolchain/script.ts';

const help = `Usage: npm run check

Says whether format, lint, import directions and types are right, generated code is current and the agents are valid.
It changes nothing. Exit status 1 when something is wrong.`;

await runScript(async (args) => {
  const { values } = readArguments({ args, options: { help: { type: 'boolean', short: 'h' } } });
  if (values.help) process.stdout.write(`${help}\n`);
  else process.exitCode = (await failedChecks()).length === 0 ? 0 : 1;
});
