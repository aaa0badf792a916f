/** Health check of a container: whether the process beside it answers on its internal port. */
const port = process.env.PARLEY_INTERNAL_PORT ?? '7801';

try {
  const answer = await fetch(`http://127.0.0.1:${port}/livez`, { signal: AbortSignal.timeout(4_000) });
  process.exitCode = answer.ok ? 0 : 1;
} catch {
  process.exitCode = 1;
}
