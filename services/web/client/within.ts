import { sleep } from './sleep.ts';

/**
 * What `work` gives, if it does so within `ms`; later its outcome is dropped.
 * @throws what `tooLate` makes
 */
export async function within<Result>(ms: number, tooLate: () => Error, work: PromiseLike<Result>): Promise<Result> {
  const settled = new AbortController();
  const late = sleep(ms, settled.signal).then(() => {
    throw tooLate();
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    settled.abort();
  }
}
