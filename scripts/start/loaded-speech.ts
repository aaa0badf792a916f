import { sleepOrStop } from '../../services/process/sleep.ts';

const lookEveryMs = 500;
const answersWithinMs = 5_000;
/** Loading took 3 s on two idle cores, and several times that beside other work. */
const loadedWithinMs = 120_000;

/** What a host says of itself at `/readyz` (services/agent/main.ts), as far as it is read here. */
interface Readiness {
  loadedSpeech?: readonly string[];
}

/** Resolves with whether every host has loaded these models of speech within two minutes; false as soon as `signal` fires. */
export async function haveLoaded(
  names: readonly string[],
  hosts: readonly string[],
  signal: AbortSignal,
): Promise<boolean> {
  const deadline = performance.now() + loadedWithinMs;
  while (!signal.aborted && performance.now() < deadline) {
    const loaded = await Promise.all(hosts.map(loadedOn));
    if (loaded.every((there) => names.every((name) => there.includes(name)))) return true;
    await sleepOrStop(lookEveryMs, signal);
  }
  return false;
}

async function loadedOn(address: string): Promise<readonly string[]> {
  try {
    const answer = await fetch(address, { signal: AbortSignal.timeout(answersWithinMs) });
    return ((await answer.json()) as Readiness).loadedSpeech ?? [];
  } catch {
    // A host that starts anew is asked again.
    return [];
  }
}
