import { join } from 'node:path';
import { listShownRevisions, type ShownRevision } from '../../services/core/agents/list-revisions.ts';
import { bestEffort } from '../../services/process/best-effort.ts';
import { sleepOrStop } from '../../services/process/sleep.ts';
import { locateTenant } from '../../services/store/tables/tenants.ts';
import { shownPath } from '../toolchain/given-path.ts';
import type { AgentSource } from './agents.ts';

const lookEveryMs = 2_000;
const mostReasons = 5;

/** Says why agents' files that were saved do not go live, and when they have been mended. Ends when `signal` does. */
export async function followRefusals(
  { agentsFolder, signal, say }: { agentsFolder: string | undefined; signal: AbortSignal; say: (line: string) => void },
  source: AgentSource,
): Promise<void> {
  let known: string | undefined;
  let told = false;
  while (!signal.aborted) {
    const newest = await bestEffort('while the database is away nothing new is known', newestRevision(source));
    if (newest && newest.id !== known && !signal.aborted) {
      const lines = refusalLines(newest, agentsFolder);
      for (const line of lines) say(line);
      if (told && lines.length === 0) say("The agents' files are live as they are now.");
      told = lines.length > 0;
      known = newest.id;
    }
    await sleepOrStop(lookEveryMs, signal);
  }
}

/** What the source of the agents offered last, as far as a worker has judged it. */
export async function newestRevision({ db, tenant: slug }: AgentSource): Promise<ShownRevision | undefined> {
  const tenant = await locateTenant(db, slug);
  if (!tenant) return undefined;
  return (await listShownRevisions(db, tenant, { limit: 1 })).items[0];
}

/** Nothing when all of it went live. Without a folder the places are those in the repository. */
export function refusalLines(
  { state, reasons, reasonsLeftOut }: Pick<ShownRevision, 'state' | 'reasons' | 'reasonsLeftOut'>,
  agentsFolder: string | undefined,
): string[] {
  if (reasons.length === 0) return [];
  const shown = reasons.slice(0, mostReasons);
  const more = reasons.length - shown.length + reasonsLeftOut;
  return [
    state === 'refused'
      ? "Nothing of the agents' files goes live, because they have mistakes:"
      : 'Some agents go on as they were:',
    ...shown.map(
      ({ file, line, column, message }) =>
        `  ${agentsFolder ? shownPath(join(agentsFolder, file)) : file}:${line}:${column}  ${message}`,
    ),
    ...(more > 0 ? [`  and ${more} more: "npx parley agents revisions" lists them.`] : []),
  ];
}
