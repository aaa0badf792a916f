/**
 * The text as PostgreSQL can hold it: without NUL, and with U+FFFD in the place of half a surrogate pair. People, models and
 * tools may send both, and a line that is refused for it would be lost.
 */
export const storable = (text: string): string => text.replaceAll('\0', '').toWellFormed();
