import { roomServerPath } from '../../scripts/toolchain/room-server.ts';
import { startSharedPostgres } from './databases/story-database.ts';

/** Gets the room server before any test runs: building it takes minutes, which no test's deadline allows for. Then starts what the stories share. */
export default async function setup(): Promise<() => Promise<void>> {
  await roomServerPath((line) => process.stderr.write(`${line}\n`));
  const postgres = await startSharedPostgres();
  return async () => postgres?.[Symbol.asyncDispose]();
}
