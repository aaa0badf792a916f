/** A running process says of which release it is, so that people see what runs, and a rollout while it is under way. */
import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import { bestEffort } from '../../process/best-effort.ts';
import { startLoop } from '../../process/loop.ts';
import type { Database } from '../../store/database.ts';
import { beatProcess, deleteProcess, type RunningProcess } from '../../store/tables/running-processes.ts';

const everyMs = 10_000;

/** Until the process stops, which it is told by what is given back. Whoever was not told a release says nothing. */
export function tellRelease(
  { db, log }: { db: Database; log: Logger },
  { process, release }: Pick<RunningProcess, 'process'> & { release: string | undefined },
): () => Promise<void> {
  if (release === undefined) return async () => undefined;
  const id = randomUUID();
  const loop = startLoop(
    everyMs,
    () => beatProcess(db, { id, process, release }),
    (err) => log.debug({ err }, 'which release runs could not be told; it is told again in seconds'),
  );
  return async () => {
    await loop.stop();
    await bestEffort('whoever is not heard of is not counted', deleteProcess(db, id));
  };
}
