import type { Ask } from './ask.ts';

/** Why AWS does not finish something: what its own descriptions say, in one sentence each. None while nothing is wrong. */
export type Wait = (ask: Ask) => Promise<string[]>;
