import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { endLeftoverServer } from '../toolchain/postgres.ts';
import { endRecorded } from '../toolchain/processes.ts';

const graceMs = 2_000;

/**
 * Ends what a start that was killed left running: the services notice by themselves but may still be busy with it, the
 * servers don't. Only processes that were written down at their start, or work in our data folder, are touched.
 */
export async function endLeftovers(runFolder: string, postgresFolder: string): Promise<boolean> {
  const records = (await readdir(runFolder)).filter((file) => file.endsWith('.json'));
  const ended = await Promise.all(records.map((file) => endRecorded(join(runFolder, file), signalFor(file), graceMs)));
  const server = await endLeftoverServer(postgresFolder);
  return server || ended.some(Boolean);
}

/** On SIGTERM the room server waits for its participants and the SIP bridge for its calls; PostgreSQL on SIGINT for nobody. */
function signalFor(file: string): NodeJS.Signals {
  if (file === 'room-server.json' || file === 'sip-bridge.json') return 'SIGKILL';
  return file === 'postgres.json' ? 'SIGINT' : 'SIGTERM';
}
