/** `npm run sessions`: lists live conversations, and ends one or all. */

import { endSession } from '../services/core/sessions/end.ts';
import { systemClock } from '../services/process/clock.ts';
import { listLiveSessions, type SessionRow } from '../services/store/tables/sessions.ts';
import { type Operator, runCommand } from './operator/operator.ts';
import { sayTable } from './operator/table.ts';
import { targetHelp } from './operator/target.ts';
import { Fault } from './toolchain/fault.ts';

const usage = 'npm run sessions [-- end <session id> | -- end --all]';
const mostShown = 500;
const endedAtOnce = 500;

await runCommand({
  help: [
    `Usage: ${usage}`,
    '',
    'Lists the live sessions, newest first; "end" ends one, or with --all every one, as operator_ended.',
    '',
    '  --all           all live sessions',
    ...targetHelp,
  ],
  options: { all: { type: 'boolean' } },
  run: async (operator, { words, flags }) => {
    const [verb, id, ...others] = words;
    if (verb === undefined && !flags.all) return list(operator);
    if (verb !== 'end' || others.length > 0) throw new Fault(`This is not understood: ${usage}`);
    if (flags.all && id === undefined) return endAll(operator);
    if (id === undefined || flags.all) throw new Fault(`Name one session, or say --all: ${usage}`);
    if (!(await endOne(operator, id))) throw new Fault(`There is no session ${id} here.`);
    operator.say(`${id} is over.`);
  },
});

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

async function endAll(operator: Operator): Promise<void> {
  let ended = 0;
  for (;;) {
    const rows = await operator.db.asTenant(operator.tenant, (tx) => listLiveSessions(tx, endedAtOnce));
    if (rows.length === 0) break;
    for (const { id } of rows) if (await endOne(operator, id)) ended += 1;
  }
  operator.say(ended === 1 ? 'One session was ended.' : `${ended} sessions were ended.`);
}

/** The room is closed by its host or, without one, by the worker. */
async function endOne({ db, tenant, notifier }: Operator, session: string): Promise<boolean> {
  const deps = { db, notifier, clock: systemClock, rooms: { close: async () => undefined } };
  const ended = await endSession(deps, { tenant, session, reason: 'operator_ended', source: 'operator' });
  return ended !== undefined;
}
