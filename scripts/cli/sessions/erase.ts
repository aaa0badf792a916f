import { Command } from '@commander-js/extra-typings';
import { eraseSession } from '../../../services/core/sessions/erase.ts';
import type { ErasedRows } from '../../../services/store/tables/erasures.ts';
import { Fault } from '../../toolchain/fault.ts';
import { asOperator } from '../operator.ts';
import { onTarget } from '../target.ts';

export const command = onTarget(
  new Command()
    .description('Erases a conversation with all that is stored of it; a live one ends first')
    .argument('<session>', 'its id'),
)
  .addHelpText(
    'after',
    `
Its transcript, its evidence and deliveries that are still owed go at once and for good. A record of what went and when stays, and the
minutes of its agent and day. Backups, logs and what the webhook was sent before: docs/operate/erasing.md.`,
  )
  .action((session, flags) =>
    asOperator(flags, async ({ db, tenant, notifier, say }) => {
      // The room is closed by its host or, without one, by the worker.
      const deps = { db, notifier, rooms: { close: async () => undefined } };
      const erased = await eraseSession(deps, { tenant, session, by: 'operator', reason: 'operator_ended' });
      if (!erased) throw new Fault(`There is no session ${session} here, and none was erased.`);
      say(`${session} was erased at ${erased.erased_at.toISOString()}: ${wording(erased.erased_rows)}.`);
    }),
  );

const wording = (rows: ErasedRows): string =>
  Object.entries(rows)
    .filter(([, count]) => count > 0)
    .map(([table, count]) => `${table} ${count}`)
    .join(', ');
