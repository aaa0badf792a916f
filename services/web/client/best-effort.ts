/**
 * What `work` gives, or undefined when it fails. `why` says for what reason that may fail without harm; the browser's console
 * shows it to whoever looks for it there.
 */
export const bestEffort = <Result>(why: string, work: Promise<Result> | undefined): Promise<Result | undefined> =>
  Promise.resolve(work).catch((error: unknown) => {
    console.debug(why, error);
    return undefined;
  });
