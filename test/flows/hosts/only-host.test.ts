import { expect, test } from 'vitest';
import { sql } from '../../../services/store/sql.ts';
import { epochOf, everythingAnsweredOnce } from '../../proofs/proof-world.ts';
import { eventually } from '../../support/eventually.ts';
import { Person } from '../../support/people/person.ts';
import { startWorld } from '../../support/world/world.ts';

test('the only host, killed with -9 and started again, goes on with its conversations', async () => {
  await using world = await startWorld({ workers: 0 });
  const customer = await world.customer();
  const { sessionId, ...connection } = await customer.createSession();
  await using person = await Person.join(connection);
  await person.ask('before', /^You said: before$/);
  const epoch = (await epochOf(world, sessionId)) ?? 0;
  await world.hosts[0]?.kill();
  await world.startHost();
  const from = person.replies.length;
  // The new host is ready for new sessions at once; it inherits when it has proven its predecessor dead.
  await eventually('the successor is in the room', async () => {
    const rows = await world.admin.query(
      sql`select 1 from sessions where id = ${sessionId} and epoch > ${epoch} and unattended_since is null`,
    );
    return rows.length > 0;
  });
  await person.write('after');
  await person.hears(/^You said: after$/, { from });
  await everythingAnsweredOnce(world, sessionId, ['before', 'after']);
  expect(person.texts().filter((text) => text.startsWith('Welcome'))).toHaveLength(1);
  await customer.endSession(sessionId);
});
