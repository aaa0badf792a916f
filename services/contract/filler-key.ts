/** Under which a filler that is a line of its own stands in the transcript. */
export const fillerKey = (name: string): string => `${prefix}${name}`;

/** Whether this line only told somebody that they are not forgotten: the service's words, which answer nothing. */
export const isFiller = (messageKey: string | null): boolean => messageKey?.startsWith(prefix) ?? false;

const prefix = 'filler ';
