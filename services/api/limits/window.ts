/** Requests are counted by the minute. */
export const windowMs = 60_000;
