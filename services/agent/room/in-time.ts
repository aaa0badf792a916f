/** What `work` gives, or a rejection after `withinMs`: the native layer may never answer. */
export async function inTime<Result>(work: Promise<Result>, withinMs: number): Promise<Result> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error('the room did not answer in time')), withinMs);
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
