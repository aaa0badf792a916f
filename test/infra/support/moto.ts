import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { freeTcpPort } from '../../../scripts/toolchain/ports.ts';
import { exitedWithin } from '../../../scripts/toolchain/processes.ts';
import { pythonWith } from '../../../scripts/toolchain/python.ts';
import { launch } from '../../../scripts/toolchain/unprivileged.ts';
import { eventually } from '../../support/eventually.ts';

/** moto's server: AWS's own protocols, with a memory of what was made and what refers to what. */
export interface Moto extends AsyncDisposable {
  readonly url: string;
}

export async function startMoto(): Promise<Moto> {
  const bin = await pythonWith('moto', (line) => process.stderr.write(`${line}\n`));
  const port = await freeTcpPort();
  const arguments_ = [join(bin, 'moto_server'), '--host', '127.0.0.1', '--port', String(port)];
  const command = await launch(join(bin, 'python'), arguments_, { whenWeDie: 'KILL' });
  const server = spawn(command.file, command.args, { stdio: 'ignore' });
  const url = `http://127.0.0.1:${port}`;
  await eventually('moto answers', async () => (await fetch(`${url}/moto-api/`)).ok, { withinMs: 60_000 });
  return {
    url,
    [Symbol.asyncDispose]: async () => {
      server.kill('SIGKILL');
      await exitedWithin(server, 5_000);
    },
  };
}
