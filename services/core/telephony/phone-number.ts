/** Telephone numbers are written as ITU-T E.164 has them, with a plus: +4930123456. */
const form = /^\+[1-9]\d{5,14}$/;

export const isPhoneNumber = (text: string): boolean => form.test(text);

/** The longest of these that the number begins with; undefined where it begins with none. */
export const longestPrefix = (prefixes: readonly string[], number: string): string | undefined =>
  prefixes.filter((prefix) => number.startsWith(prefix)).toSorted((a, b) => b.length - a.length)[0];
