import { createRequire } from 'node:module';
import type { JudgeEnd } from './ear.ts';

interface LocalInference {
  initEot(): void;
  predict(samples: Int16Array): Promise<number>;
}

let model: LocalInference | undefined;

const finished = 1;
/** 1.2 s at 16 kHz. The model refuses to look at more. */
const mostSamples = 19_200;

/**
 * Loads the model (a quarter of a gigabyte for the process), which holds up everything else: 0.2 s on a quiet machine, 0.94 s
 * on a busy one. A process that speaks does it at its start, and not in somebody's first pause.
 *
 * @throws Error on a machine on which the model can't be run
 */
export function loadEndOfTurn(): void {
  const loaded = createRequire(import.meta.url)('@livekit/local-inference') as LocalInference;
  loaded.initEot();
  model = loaded;
}

/**
 * Judges by the melody of what was said, on this machine, in about 10 ms beside the event loop; and only utterances that the
 * model can look at whole: a name, a lone "well …". Longer ones are taken to be finished, as everything is where no model is
 * loaded, and end with the usual silence. Judging their last 1.2 s would change when turns end: to be measured first.
 */
export const judgeEnd: JudgeEnd = async ({ data }) => {
  if (!model || data.length > mostSamples) return finished;
  try {
    return await model.predict(data);
  } catch {
    return finished;
  }
};
