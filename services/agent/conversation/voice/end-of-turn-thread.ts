/** The thread of end-of-turn.ts: loads the model, then answers how likely it is that whoever made a sound has finished. */
import { createRequire } from 'node:module';
import { parentPort } from 'node:worker_threads';
import type { Judgement, Question } from './end-of-turn.ts';

interface LocalInference {
  initEot(): void;
  predict(samples: Int16Array): Promise<number>;
}

const model = createRequire(import.meta.url)('@livekit/local-inference') as LocalInference;
model.initEot();
parentPort?.postMessage({ likelihood: 1 } satisfies Judgement);

parentPort?.on('message', ({ id, samples }: Question) => {
  model.predict(samples).then(
    (likelihood) => parentPort?.postMessage({ id, likelihood } satisfies Judgement),
    () => parentPort?.postMessage({ id, likelihood: 1 } satisfies Judgement),
  );
});
