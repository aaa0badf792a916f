import { bestEffort } from '../../services/process/best-effort.ts';
import { sleepOrStop } from '../../services/process/sleep.ts';
import { findUnreadable, type UnreadableSourceRow } from '../../services/store/tables/agent-sources.ts';
import { locateTenant } from '../../services/store/tables/tenants.ts';
import type { AgentSource } from './agents.ts';

const lookEveryMs = 2_000;

/** Says once when the repository of the agents can't be read, and when it can again. Ends when `signal` does. */
export async function followUnreadable(
  { signal, say }: { signal: AbortSignal; say: (line: string) => void },
  source: AgentSource,
): Promise<void> {
  let told: string | undefined;
  while (!signal.aborted) {
    const look = await bestEffort('while the database is away nothing new is known', unreadableOf(source));
    const reason = look?.unreadable?.reason;
    if (look && reason !== told) {
      say(look.unreadable ? sentence(look.unreadable) : 'The agents can be read again.');
      told = reason;
    }
    await sleepOrStop(lookEveryMs, signal);
  }
}

const sentence = ({ source, reason }: UnreadableSourceRow): string =>
  `The agents cannot be read from ${source}: what is live stays live (${reason.replace(/\s+/gu, ' ').trim()}).`;

async function unreadableOf({ db, tenant: slug }: AgentSource) {
  const tenant = await locateTenant(db, slug);
  return { unreadable: tenant === undefined ? undefined : await db.asTenant(tenant, findUnreadable) };
}
