import { Command, CommanderError, type CommandUnknownOpts, Help } from '@commander-js/extra-typings';
import { Fault } from '../toolchain/fault.ts';
import { type CommandFile, type CommandName, listCommands, loadCommand, words } from './registry.ts';

export interface Program {
  /** @throws Fault for words and options that nobody knows, and whatever the command throws */
  run(args: readonly string[]): Promise<void>;
  /** Exit status of a run that throws. */
  failed: number;
}

/** The program for these words: with the one command that they name or, where they name none, with all. */
export async function openProgram(args: readonly string[]): Promise<Program> {
  const names = await listCommands();
  const named = names.find((name) => words(name) === args.slice(0, name.noun === name.verb ? 1 : 2).join(' '));
  const loaded = await Promise.all((named ? [named] : names).map(withFile));
  const program = assemble(loaded);
  return {
    failed: (named && loaded[0]?.file.failed) ?? 1,
    run: (given) => runProgram(program, given),
  };
}

/** The program with all commands; what it knows of them is what their help says. */
export const openWholeProgram = async (): Promise<CommandUnknownOpts> =>
  assemble(await Promise.all((await listCommands()).map(withFile)));

interface Loaded {
  name: CommandName;
  file: CommandFile;
}

const withFile = async (name: CommandName): Promise<Loaded> => ({ name, file: await loadCommand(name) });

function assemble(loaded: readonly Loaded[]): CommandUnknownOpts {
  const program: CommandUnknownOpts = new Parley('parley')
    .description('Commands for those who write agents and those who operate an installation')
    .usage('<noun> <verb> [options]')
    .helpOption('-h, --help', 'shows this')
    .configureHelp({ subcommandTerm })
    .exitOverride()
    // Whoever runs us says what is wrong.
    .configureOutput({ outputError: () => undefined });
  for (const { name, file } of loaded) {
    const parent = name.noun === name.verb ? program : nounOf(program, name.noun);
    parent.addCommand(file.command.name(name.verb).copyInheritedSettings(program));
  }
  return program;
}

/** Its own help lists verbs, not only nouns; what it suggests for a misspelt noun are nouns. */
class Parley extends Command {
  override helpInformation(context?: { error: boolean }): string {
    const visibleCommands = ({ commands }: CommandUnknownOpts) =>
      commands.flatMap((command) => (command.commands.length === 0 ? [command] : command.commands));
    this.configureHelp({ ...this.configureHelp(), visibleCommands });
    return super.helpInformation(context);
  }
}

const nounOf = (program: CommandUnknownOpts, name: string): CommandUnknownOpts =>
  program.commands.find((command) => command.name() === name) ??
  program.command(name).usage('<verb> [options]').helpCommand(false);

/** With its noun; that every command has options goes without saying. */
export function subcommandTerm(command: CommandUnknownOpts): string {
  const term = new Help().subcommandTerm(command).replace(' [options]', '');
  return command.parent?.parent ? `${command.parent.name()} ${term}` : term;
}

async function runProgram(program: CommandUnknownOpts, args: readonly string[]): Promise<void> {
  try {
    await program.parseAsync(args, { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (!error.code.startsWith('commander.help')) throw new Fault(sentenceOf(error.message), { cause: error });
    process.exitCode = error.exitCode;
  }
}

/** What the library says ("error: unknown option '--x'\n(Did you mean --y?)") as our commands say it. */
function sentenceOf(message: string): string {
  const [first = '', ...others] = message.replace(/^error: /, '').split('\n');
  const sentence = `${first.charAt(0).toUpperCase()}${first.slice(1).replace(/\.$/, '')}.`;
  const hints = others.map((line) => line.replace(/^\((.*)\)$/, '$1'));
  return [sentence, ...hints, 'Add --help to see what there is.'].join(' ');
}
