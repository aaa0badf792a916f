/** Health check of a container: whether the process beside it answers on its internal port. */
import { readSettings } from '../services/settings/read.ts';

const { internalPort } = readSettings('health check', process.env);

try {
  const answer = await fetch(`http://127.0.0.1:${internalPort}/livez`, { signal: AbortSignal.timeout(4_000) });
  process.exitCode = answer.ok ? 0 : 1;
} catch {
  process.exitCode = 1;
}
