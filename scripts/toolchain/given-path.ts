import { join, relative, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '../..');

/** npm runs us in the repository, wherever the person stands. */
const whereThePersonStands = (): string => process.env.INIT_CWD ?? process.cwd();

/** A path as the person who wrote it means it. */
export const givenPath = (path: string): string => resolve(whereThePersonStands(), path);

/** The folder of agents that was given or, without one, that of this repository. */
export const agentsFolder = (given: string | undefined): string =>
  given === undefined ? join(root, 'agents') : givenPath(given);

/** Where the local start keeps what it keeps. */
export const dataFolder = (given: string | undefined): string =>
  given === undefined ? join(root, '.parley') : givenPath(given);

/** A path as a person finds it from where they stand, and an editor from their terminal. */
export const shownPath = (path: string): string => relative(whereThePersonStands(), path) || '.';
