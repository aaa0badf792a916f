import { Histogram, type Registry } from '@prometheus-io/client';
import type { InteractionMode, TurnTiming } from '../contract/session.ts';

export interface TurnMetrics {
  observe(mode: InteractionMode, timing: TurnTiming): void;
  register(registry: Registry): void;
}

/** What the turns of this host's conversations took, by what the time was spent on. */
export function makeTurnMetrics(): TurnMetrics {
  const histogram = new Histogram({
    name: 'parley_turn_part_seconds',
    help: 'What turns took: endpointing, recognition, firstToken, firstSound, playout, tools, interruptedAfter',
    labelNames: ['part', 'mode'],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.5, 2, 3, 5, 10, 30],
    registers: [],
  });
  return {
    observe: (mode, timing) => {
      for (const [part, ms] of Object.entries(timing)) histogram.observe({ part, mode }, ms / 1000);
    },
    register: (registry) => registry.registerMetric(histogram),
  };
}
