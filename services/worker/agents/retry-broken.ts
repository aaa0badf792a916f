import { sleep } from '../../process/sleep.ts';
import { ScenariosBroke } from '../../scenario-runner/child-process.ts';

export interface RetryTerms {
  /** Between the attempts, of which there is one more. */
  waitsMs: readonly number[];
  onBroke: (error: ScenariosBroke) => void;
  signal: AbortSignal;
}

/** Runs scenarios again when what runs them broke, which may pass. @throws ScenariosBroke after the last attempt */
export async function retryBroken<Result>(run: () => Promise<Result>, patience: RetryTerms): Promise<Result> {
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof ScenariosBroke)) throw error;
    patience.onBroke(error);
    const [waitMs, ...waitsMs] = patience.waitsMs;
    if (waitMs === undefined) throw error;
    await sleep(waitMs, patience.signal);
    return retryBroken(run, { ...patience, waitsMs });
  }
}
