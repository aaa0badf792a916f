import type { Variables } from '../process/variables.ts';
/** What a setting is: a variable of the environment, declared once, from which everything that reads or sets it is derived. */

export type Process =
  | 'api'
  | 'agent'
  | 'worker'
  /** The job that prepares the database before the others start. */
  | 'prepare'
  /** A run of scenarios: the worker's own process for them, and the command. */
  | 'scenarios'
  /** A container's look at the process beside it. */
  | 'health check'
  /** `npm start`. */
  | 'start'
  /** The operator's commands. */
  | 'commands'
  | 'toolchain'
  | 'tests';

/** Whoever reads it can't do without it. */
export const required: unique symbol = Symbol('required');
/** Whoever reads it has nothing in its place. */
export const optional = undefined;

export interface Setting {
  readonly name: string;
  /** Who reads it, each with what it takes where the variable is missing or empty: a default, `optional` or `required`. */
  readonly readBy: Readonly<Partial<Record<Process, unknown>>>;
  /** What it should hold: the end of "it should hold …" when it does not. */
  readonly holds: string;
  /** What it is for, as docs/settings.md says it. */
  readonly says: string;
  /** The value; undefined, or an error, where the text is no use. The other variables are there for those that name one of them. */
  readonly parse: (text: string, variables: Variables) => unknown;
  /** The text of a value, where it is not what `String` makes of it. */
  readonly write?: (value: never) => string;
  /** Shown nowhere. A stack gives it as a reference to a Secret. */
  readonly secret?: true;
  /** It holds the name of a variable that is secret. */
  readonly namesSecret?: true;
  /** What holds where it is missing and has no default of its own. */
  readonly otherwise?: string;
  /** Why a stack's plan leaves it alone. Without a reason the plan has to decide it. */
  readonly notInStacks?: string;
}

/** Settings that belong together: one value with a field for each. */
export interface Group {
  readonly settings: Tree;
  /** The field without which the others are not read, and the value is undefined. */
  readonly opensWith?: string;
}

export interface Tree {
  readonly [key: string]: Setting | Group;
}

export const setting = <const Declared extends Setting>(declared: Declared): Declared => declared;

export const group = <const Fields extends Tree>(fields: Fields): { readonly settings: Fields } => ({
  settings: fields,
});

/** A group that is there when one of its fields is set. */
export const groupWith = <const Fields extends Tree, const Opener extends keyof Fields & string>(
  opensWith: Opener,
  fields: Fields,
): { readonly settings: Fields; readonly opensWith: Opener } => ({ settings: fields, opensWith });

/** The same variable in another place of the tree, for somebody else. */
export const alsoReadBy = <Declared extends Setting, const Readers extends Setting['readBy']>(
  declared: Declared,
  readBy: Readers,
): Omit<Declared, 'readBy'> & { readonly readBy: Readers } => ({ ...declared, readBy });

export const isGroup = (node: Setting | Group): node is Group => 'settings' in node;

/** The value of a setting, whoever reads it. */
export type ValueOf<Declared extends Setting> = Exclude<ReturnType<Declared['parse']>, undefined>;

type WhereMissing<Declared extends Setting, Reader extends Process> = Declared['readBy'] extends {
  readonly [One in Reader]: infer Missing;
}
  ? Missing
  : never;

type KeysReadBy<Fields extends Tree, Reader extends Process> = {
  [Key in keyof Fields]: Fields[Key] extends Group
    ? [KeysReadBy<Fields[Key]['settings'], Reader>] extends [never]
      ? never
      : Key
    : Fields[Key] extends Setting
      ? Reader extends keyof Fields[Key]['readBy']
        ? Key
        : never
      : never;
}[keyof Fields];

/** What a process is given: a field for every setting that it reads. */
export type ValuesReadBy<Fields extends Tree, Reader extends Process> = {
  [Key in KeysReadBy<Fields, Reader>]: Fields[Key] extends Group
    ? ValuesReadBy<Fields[Key]['settings'], Reader> | WhereClosed<Fields[Key]>
    : Fields[Key] extends Setting
      ? ValueOf<Fields[Key]> | Exclude<WhereMissing<Fields[Key], Reader>, typeof required>
      : never;
};

type WhereClosed<Fields extends Group> = Fields extends { readonly opensWith: string } ? undefined : never;

/** Values to set, as many as somebody likes: what is undefined is not set. */
export type SomeValues<Fields extends Tree> = {
  readonly [Key in keyof Fields]?:
    | (Fields[Key] extends Group
        ? SomeValues<Fields[Key]['settings']>
        : Fields[Key] extends Setting
          ? ValueOf<Fields[Key]>
          : never)
    | undefined;
};

type KeysInStacks<Fields extends Tree, Reader extends Process> = {
  [Key in KeysReadBy<Fields, Reader>]: Fields[Key] extends Group
    ? [KeysInStacks<Fields[Key]['settings'], Reader>] extends [never]
      ? never
      : Key
    : Fields[Key] extends { readonly notInStacks: string }
      ? never
      : Key;
}[KeysReadBy<Fields, Reader>];

/**
 * What a plan says of a process: every field, so that none is forgotten, and no other. What has a default may be undefined, which
 * leaves the variable out. Secrets are references.
 */
export type PlannedValues<Fields extends Tree, Reader extends Process, Reference> = {
  readonly [Key in KeysInStacks<Fields, Reader>]: Fields[Key] extends Group
    ? PlannedValues<Fields[Key]['settings'], Reader, Reference> | WhereClosed<Fields[Key]>
    : Fields[Key] extends Setting
      ?
          | (Fields[Key] extends { readonly secret: true } ? Reference : ValueOf<Fields[Key]>)
          | (WhereMissing<Fields[Key], Reader> extends typeof required ? never : undefined)
      : never;
};
