import { Command } from '@commander-js/extra-typings';
import { listLiveSessions, type SessionRow } from '../../../services/store/tables/sessions.ts';
import { asOperator, type Operator } from '../operator.ts';
import { sayTable } from '../table.ts';
import { onTarget } from '../target.ts';

const mostShown = 500;

export const command = onTarget(new Command().description('Lists the live sessions, newest first')).action((flags) =>
  asOperator(flags, list),
);

async function list({ db, tenant, say }: Operator): Promise<void> {
  const rows = await db.asTenant(tenant, (tx) => listLiveSessions(tx, mostShown));
  if (rows.length === 0) return say('No session is live.');
  sayTable(say, [['SESSION', 'AGENT', 'STATUS', 'SINCE', 'FOR'], ...rows.map(toCells)]);
  if (rows.length === mostShown) say(`Only the newest ${mostShown} are shown.`);
}

/** Since the person came or, before that, since the session was created. */
function toCells({ id, agent, status, started_at, created_at }: SessionRow): string[] {
  const since = started_at ?? created_at;
  const minutes = (Date.now() - since.getTime()) / 60_000;
  return [id, agent, status, since.toISOString(), `${minutes.toFixed(1)} min`];
}
