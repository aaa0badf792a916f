import { collectDefaultMetrics, Gauge, type Registry } from '@prometheus-io/client';

/** How busy a pool of database connections is. */
export interface PoolLoad {
  total: number;
  idle: number;
  waiting: number;
}

/** What every process tells of itself: Node's own figures and the load of its database pool. */
export function collectProcessMetrics(registry: Registry, db: { load(): PoolLoad }): void {
  collectDefaultMetrics({ register: registry });
  new Gauge({
    name: 'parley_database_connections',
    help: 'Connections of the pool, and callers that wait for one',
    labelNames: ['state'],
    registers: [registry],
    collect() {
      const { total, idle, waiting } = db.load();
      this.set({ state: 'busy' }, total - idle);
      this.set({ state: 'idle' }, idle);
      this.set({ state: 'awaited' }, waiting);
    },
  });
}
