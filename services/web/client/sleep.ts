/** Waits for `ms`, or until `signal` fires: for loops that look at it anyway. */
export const sleep = (ms: number, signal?: AbortSignal): Promise<void> =>
  // biome-ignore lint/plugin: this is what pages wait with
  new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal?.addEventListener('abort', done);
    if (signal?.aborted) done();
  });
