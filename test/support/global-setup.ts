import { roomServerPath } from '../../scripts/toolchain/room-server.ts';

/** Gets the room server before any test runs: building it takes minutes, which no test's deadline allows for. */
export default async function setup(): Promise<void> {
  await roomServerPath((line) => process.stderr.write(`${line}\n`));
}
