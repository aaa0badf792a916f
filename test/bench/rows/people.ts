import type { commands } from '../clients/people.ts';
import { type Remote, startRemote } from '../remote.ts';

/** Persons in rooms, in a process of their own. */
export type People = Remote<typeof commands>;

export const startPeople = (): Promise<People> => startRemote(new URL('../clients/people.ts', import.meta.url));
