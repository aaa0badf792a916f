import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Command } from '@commander-js/extra-typings';
import { Fault } from '../../toolchain/fault.ts';
import { say } from '../../toolchain/say.ts';
import { type Evidence, prove, type Runner } from './prove/evidence.ts';
import { stepsOf } from './prove/steps.ts';

const root = join(import.meta.dirname, '../../..');

export const command = new Command()
  .description(
    'Proves a stack on an account of AWS: up, more capacity, nodes taken away, a restore, destroy; writes what was seen',
  )
  .argument('<stack>', 'one that is only for this: EVERYTHING IN IT IS ERASED')
  .option('--erase <stack>', "the stack's name again, as a word for it")
  .option('--database <name>', 'name of its database server; otherwise parley-<stack>')
  .option('--evidence <file>', 'where what was seen is written', 'parley-proof.json')
  .addHelpText(
    'after',
    `
Makes and destroys everything once, which takes about two hours and costs about 10 USD. Write the stack's file first ("parley stack new"), with
little capacity. Needs pulumi, aws and kubectl, logged in. When a step fails it stops: look at what it says, and run "pulumi destroy".`,
  )
  .action(async (stack, { erase, database = `parley-${stack}`, evidence: file }) => {
    if (erase !== stack) throw new Fault(`--erase must be ${stack}: everything in that stack is erased.`);
    const keep = (evidence: Evidence) => writeFile(join(root, file), `${JSON.stringify(evidence, null, 2)}\n`);
    const steps = stepsOf({ ...{ stack, database, namespace: `parley-${stack}` }, text: 60 });
    const { complete } = await prove(stack, steps, { run, keep, say, now: Date.now });
    say(
      `Written: ${file}. ${complete ? 'Everything was seen.' : 'It stopped: nothing was taken down after that step.'}`,
    );
    if (!complete) process.exitCode = 1;
  });

/** Beside its output on this terminal, as evidence. */
const run: Runner = async (file, args) => {
  const child = spawn(file, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
  const written = { output: '', stdout: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    written.output += text;
    written.stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    written.output += text;
  });
  const failed = new Promise<[null]>((resolve) => {
    child.once('error', (error) => {
      written.output += `${file} can't be run: ${error.message}\n`;
      resolve([null]);
    });
  });
  const [code] = (await Promise.race([once(child, 'close'), failed])) as [number | null];
  return { succeeded: code === 0, ...written };
};
