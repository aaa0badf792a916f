import { Counter, Gauge, Histogram, Registry } from '@prometheus-io/client';
import { collectProcessMetrics } from '../process/metrics.ts';
import type { Database } from '../store/database.ts';

export interface ApiMetrics {
  registry: Registry;
  requests: Histogram<'method' | 'route' | 'status'>;
  sessions: Counter<'result'>;
  /** 1 while this replica counts requests for itself, because Redis does not answer. */
  countingAlone: Gauge;
  countedAlone: Counter;
  droppedConnections: Counter;
  roomEvents: Counter<'event' | 'result'>;
}

export function makeMetrics(db: Pick<Database, 'load'>): ApiMetrics {
  const registry = new Registry();
  const registers = [registry];
  collectProcessMetrics(registry, db);
  return {
    registry,
    requests: new Histogram({
      name: 'parley_http_request_seconds',
      help: 'Time from the request to the end of its answer; status 499 is a client that went away',
      labelNames: ['method', 'route', 'status'],
      buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
      registers,
    }),
    sessions: new Counter({
      name: 'parley_sessions_requested_total',
      help: 'Sessions asked for, by what came of it',
      labelNames: ['result'],
      registers,
    }),
    countingAlone: new Gauge({
      name: 'parley_rate_limit_counting_alone',
      help: '1 while this replica counts requests for itself, because Redis does not answer',
      registers,
    }),
    countedAlone: new Counter({
      name: 'parley_rate_limit_counted_alone_total',
      help: 'Requests that this replica counted for itself, because Redis did not answer in time',
      registers,
    }),
    droppedConnections: new Counter({
      name: 'parley_connections_dropped_total',
      help: 'Connections beyond the limit',
      registers,
    }),
    roomEvents: new Counter({
      name: 'parley_room_events_total',
      help: "The room server's events",
      labelNames: ['event', 'result'],
      registers,
    }),
  };
}
