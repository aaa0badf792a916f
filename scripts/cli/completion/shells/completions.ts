import type { CommandUnknownOpts } from '@commander-js/extra-typings';

/** What an argument or an option may be: one of some words, a path, or a text that nobody can know. */
export type Value = readonly string[] | 'folder' | 'file' | 'text';

export interface Flag {
  name: string;
  says: string;
  /** Undefined for a switch. */
  value: Value | undefined;
}

export interface Completion {
  /** One word for a noun that is a command by itself, two otherwise. */
  words: readonly string[];
  says: string;
  flags: readonly Flag[];
  /** What stands behind the words, in order; the last may repeat. */
  args: readonly Value[];
}

/** Of every command: what its declaration says. */
export const completionsOf = (program: CommandUnknownOpts): Completion[] =>
  program.commands.flatMap((command) =>
    command.commands.length === 0
      ? [completionOf(command, [command.name()])]
      : command.commands.map((verb) => completionOf(verb, [command.name(), verb.name()])),
  );

const completionOf = (command: CommandUnknownOpts, words: readonly string[]): Completion => ({
  words,
  says: command.description(),
  flags: command
    .createHelp()
    .visibleOptions(command)
    .flatMap(({ long, flags, description, argChoices }) =>
      long ? [{ name: long, says: description, value: flags === long ? undefined : valueFor(flags, argChoices) }] : [],
    )
    .map((flag) => (flag.name === '--help' ? { ...flag, value: undefined } : flag)),
  args: command.registeredArguments.map((argument) => valueFor(`<${argument.name()}>`, argument.argChoices)),
});

/** A placeholder says what is meant: `<folder>`, `<folder-before>`, `<file>`. */
function valueFor(placeholder: string, choices: readonly string[] | undefined): Value {
  if (choices) return choices;
  if (placeholder.includes('<folder')) return 'folder';
  return placeholder.includes('<file>') ? 'file' : 'text';
}

/** Nouns, each with the verbs behind it; none for a command by itself. */
export const verbsByNoun = (completions: readonly Completion[]): Map<string, Completion[]> =>
  Map.groupBy(completions, ({ words: [noun = ''] }) => noun);
