import { Gauge, Registry } from '@prometheus-io/client';
import { collectProcessMetrics } from '../process/metrics.ts';
import type { Database } from '../store/database.ts';
import type { TurnMetrics } from './turn-metrics.ts';

export interface HostFigures {
  live: number;
  starting: number;
  warm: number;
  capacity: number;
}

interface HostMetricsParts {
  db: Pick<Database, 'load'>;
  turns: TurnMetrics;
  /** Undefined while the host is being made. */
  figures: () => HostFigures | undefined;
}

/** What one host tells of itself. */
export function makeHostMetrics({ db, turns, figures }: HostMetricsParts): Registry {
  const registry = new Registry();
  collectProcessMetrics(registry, db);
  turns.register(registry);
  for (const [name, help] of [
    ['live', 'Conversations on this host'],
    ['starting', 'Conversations being taken up'],
    ['warm', 'Rooms kept ready'],
    ['capacity', 'Conversations this host carries at most'],
  ] as const) {
    new Gauge({
      name: `parley_agent_${name}`,
      help,
      registers: [registry],
      collect() {
        const known = figures();
        if (known) this.set(known[name]);
      },
    });
  }
  return registry;
}
