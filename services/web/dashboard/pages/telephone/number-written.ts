/** A number as people write it, as the API takes it: `+49 30 123 456` is `+4930123456`. */
export const numberWritten = (text: string): string => text.replaceAll(/[^\d+]/g, '');
