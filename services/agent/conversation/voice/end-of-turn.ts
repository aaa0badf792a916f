import { Worker } from 'node:worker_threads';
import type { JudgeEnd } from './turn-detector.ts';

export interface Question {
  id: number;
  samples: Int16Array;
}

/** Without an id: the model is loaded. */
export interface Judgement {
  id?: number;
  likelihood: number;
}

const finished = 1;
/** 1.2 s at 16 kHz. Of more, the model looks at the end alone. */
const mostSamples = 19_200;
const program = new URL('./end-of-turn-thread.ts', import.meta.url);

let loading: Promise<void> | undefined;
let model: Worker | undefined;
let asked = 0;
const waiting = new Map<number, (likelihood: number) => void>();

/**
 * Loads the model (a quarter of a gigabyte for the process) once, in a thread of its own: that takes 0.35 s and more than a second
 * on a busy machine, in which nobody would be heard. Resolves when it is loaded.
 * @throws Error on a machine on which the model can't be run
 */
export function loadEndOfTurn(): Promise<void> {
  loading ??= load();
  return loading;
}

function load(): Promise<void> {
  // It needs nothing from the environment, where keys are.
  const thread = new Worker(program, { execArgv: [], env: {} });
  thread.unref();
  return new Promise((resolve, reject) => {
    thread.on('message', ({ id, likelihood }: Judgement) => {
      if (id !== undefined) return answer(id, likelihood);
      model = thread;
      resolve();
    });
    thread.on('error', reject);
    thread.on('exit', () => {
      model = undefined;
      for (const id of waiting.keys()) answer(id, finished);
    });
  });
}

function answer(id: number, likelihood: number): void {
  waiting.get(id)?.(likelihood);
  waiting.delete(id);
}

/**
 * Judges by the melody of what was said, on this machine, in about 10 ms beside the event loop; and only utterances that the
 * model can look at whole: a name, a lone "well …". Longer ones are taken to be finished, as everything is where no model is
 * loaded, and end with the usual silence. Judging their last 1.2 s would change when turns end: to be measured first.
 */
export const judgeEnd: JudgeEnd = async ({ data }) => {
  if (!model || data.length > mostSamples) return finished;
  asked += 1;
  const { promise, resolve } = Promise.withResolvers<number>();
  waiting.set(asked, resolve);
  const samples = data.slice();
  model.postMessage({ id: asked, samples } satisfies Question, [samples.buffer]);
  return promise;
};
