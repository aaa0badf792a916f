/** The variables of a process, by name, as `process.env` has them. */
export type Variables = Readonly<Record<string, string | undefined>>;
