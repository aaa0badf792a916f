/** What of a tenant runs, as far as a change of it is noticed: what each part is made from, and what it carries while it is changed. */
import { hashOf } from '../../services/agent-files/compile/hash.ts';

/** How a change is made. */
export type Way =
  /** Nothing stops. */
  | 'in place'
  /** New ones are ready before old ones are told to stop. */
  | 'rolls'
  /** One after the other, each stopped before its successor starts. */
  | 'one by one'
  /** All there are stop, and then start. */
  | 'restarts'
  /** A standby takes over. */
  | 'fails over'
  /** A job that runs once, before the others. */
  | 'runs'
  /** Another one is made, and the old one goes. */
  | 'is made anew'
  /** Not by an up. */
  | 'by hand';

/** What a part has while it is told to stop. */
export type Load =
  | { kind: 'nothing' }
  | { kind: 'requests' }
  | { kind: 'work' }
  /** Conversations that it gives to others, which takes `neededSeconds` of the `graceSeconds` that it has. */
  | { kind: 'handed over'; neededSeconds: number; graceSeconds: number }
  /** Conversations that it waits for. */
  | { kind: 'waited for'; neededSeconds: number; graceSeconds: number }
  /** Calls that it waits for; `alone`: meanwhile nobody else takes new ones. */
  | { kind: 'calls'; neededSeconds: number; graceSeconds: number; alone: boolean }
  /** Conversations whose rooms the next one makes again. */
  | { kind: 'made again' }
  | { kind: 'data' }
  /** Where room servers and API leave notes to each other. */
  | { kind: 'notes' }
  /** Tenants of other stacks. */
  | { kind: 'guests' }
  /** Pods, of which the slowest needs so long to leave, and has so long. */
  | { kind: 'pods'; neededSeconds: number; graceSeconds: number };

export interface Part {
  /** The same from one plan to the next, such as `api`. */
  name: string;
  /** As people call it. */
  what: string;
  replicas?: number;
  load: Load;
  /** By subject: what it is made from, as a hash where that is long or secret, and how another one comes about. */
  from: Readonly<Record<string, { value: string; way: Way }>>;
}

/** The same text for the same value; what it was cannot be read from it. */
export const mark = (value: unknown): string => hashOf(value ?? null).slice(0, 16);

/** Subjects that are all changed the same way. */
export const changedBy = (way: Way, values: Readonly<Record<string, unknown>>): Part['from'] =>
  Object.fromEntries(Object.entries(values).map(([subject, value]) => [subject, { value: mark(value), way }]));
