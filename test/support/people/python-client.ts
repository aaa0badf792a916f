import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { pythonWith } from '../../../scripts/toolchain/python.ts';

const run = promisify(execFile);
const script = join(import.meta.dirname, 'python', 'speak_at_once.py');

export interface PythonClient {
  /** Joins, sends the texts in the instant it has joined, and gives the first `replies` replies. */
  speakAtOnce(session: { wsUrl: string; token: string }, texts: readonly string[], replies: number): Promise<string[]>;
}

/** A room client that neither we nor our libraries wrote. Installs it into the cache unless it is there. */
export async function openPythonClient(): Promise<PythonClient> {
  const python = join(await pythonWith('livekit'), 'python');
  return {
    async speakAtOnce({ wsUrl, token }, texts, replies) {
      const { stdout } = await run(python, [script, wsUrl, token, String(replies), ...texts], { timeout: 90_000 });
      const lines = stdout.trim().split('\n');
      return lines.map((line) => (JSON.parse(line) as { reply: string }).reply);
    },
  };
}
