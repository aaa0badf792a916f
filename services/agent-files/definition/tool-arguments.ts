/** Which arguments a tool takes: the same for a script that is checked and for a call that is about to run. */

type Schema = Record<string, unknown>;

const openEnded = ['additionalProperties', 'unevaluatedProperties', 'allOf', 'anyOf', 'oneOf', 'if', '$ref'];

/**
 * Parameters that take nothing but what they name, unless they say `additionalProperties`. A schema that is put together
 * from others may name its properties there, so it is left to say what it means.
 */
export const closedParameters = (parameters: Schema): Schema =>
  openEnded.some((keyword) => keyword in parameters) ? parameters : { ...parameters, additionalProperties: false };

/** The validator knows the dialect it was made for only, and tools use what all dialects share. */
export const withoutDialect = ({ $schema: _dialect, ...schema }: Schema): Schema => schema;
