import { Argument, Command } from '@commander-js/extra-typings';
import { openWholeProgram } from '../program.ts';
import { bashCompletion } from './shells/bash.ts';
import { completionsOf } from './shells/completions.ts';
import { zshCompletion } from './shells/zsh.ts';

const shells = { bash: bashCompletion, zsh: zshCompletion };

export const command = new Command()
  .description('Prints what a shell reads to complete nouns, verbs, options and their values')
  .addArgument(new Argument('<shell>').choices(['bash', 'zsh']))
  .addHelpText(
    'after',
    `
Once in ~/.bashrc:  source <(parley completion bash)
or in ~/.zshrc, after compinit:  source <(parley completion zsh)

In a checkout, "npx parley" is completed where parley is an alias of it: alias parley='npx parley'.`,
  )
  .action(async (shell) => console.log(shells[shell](completionsOf(await openWholeProgram()))));
