import { openWholeProgram, subcommandTerm } from '../cli/program.ts';
import { row } from './passages.ts';

/** Every command as its help names it, with what it says it does. */
export async function commandsTable(): Promise<string> {
  const { commands } = await openWholeProgram();
  const verbs = commands.flatMap((noun) => (noun.commands.length === 0 ? [noun] : noun.commands));
  return [
    '| Command | What it does |',
    '|---|---|',
    ...verbs.map((command) => row(`\`${subcommandTerm(command)}\``, command.description())),
  ].join('\n');
}
