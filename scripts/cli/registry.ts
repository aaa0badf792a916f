import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { CommandUnknownOpts } from '@commander-js/extra-typings';

/** What a command is called, by its file `cli/<noun>/<verb>.ts`. A verb with the name of its noun is called by the noun alone. */
export interface CommandName {
  noun: string;
  verb: string;
}

/** What such a file exports. */
export interface CommandFile {
  command: CommandUnknownOpts;
  /** Exit status when it can't do its work; 1 unless it says otherwise. */
  failed?: number;
}

/** Every command, by noun and verb. Folders below a noun hold parts of its commands. */
export async function listCommands(): Promise<CommandName[]> {
  const nouns = await readdir(import.meta.dirname, { withFileTypes: true });
  const names = nouns.filter((entry) => entry.isDirectory()).map(({ name }) => verbsOf(name));
  return (await Promise.all(names)).flat().sort((one, other) => words(one).localeCompare(words(other)));
}

async function verbsOf(noun: string): Promise<CommandName[]> {
  const files = await readdir(join(import.meta.dirname, noun));
  // A test has one more dot in its name.
  return files.flatMap((file) => /^([a-z-]+)\.ts$/.exec(file)?.[1] ?? []).map((verb) => ({ noun, verb }));
}

/** As a person writes it behind `parley`. */
export const words = ({ noun, verb }: CommandName): string => (noun === verb ? noun : `${noun} ${verb}`);

export const loadCommand = ({ noun, verb }: CommandName): Promise<CommandFile> =>
  import(new URL(`${noun}/${verb}.ts`, import.meta.url).href);
