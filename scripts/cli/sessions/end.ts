import { Command } from '@commander-js/extra-typings';
import { endSession } from '../../../services/core/sessions/end.ts';
import { listLiveSessions } from '../../../services/store/tables/sessions.ts';
import { Fault } from '../../toolchain/fault.ts';
import { asOperator, type Operator } from '../operator.ts';
import { onTarget } from '../target.ts';

const endedAtOnce = 500;

export const command = onTarget(
  new Command()
    .description('Ends a live session, or all, as operator_ended')
    .argument('[session]', 'its id, as "parley sessions list" shows it')
    .option('--all', 'all live sessions'),
).action((id, { all = false, ...flags }) =>
  asOperator(flags, async (operator) => {
    if (all && id === undefined) return endAll(operator);
    if (id === undefined || all) throw new Fault('Name one session, or say --all.');
    if (!(await endOne(operator, id))) throw new Fault(`There is no session ${id} here.`);
    operator.say(`${id} is over.`);
  }),
);

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
  const deps = { db, notifier, rooms: { close: async () => undefined } };
  const ended = await endSession(deps, { tenant, session, reason: 'operator_ended', source: 'operator' });
  return ended !== undefined;
}
