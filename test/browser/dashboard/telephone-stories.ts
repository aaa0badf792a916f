import { randomBytes, randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { makeVault } from '../../../services/core/credentials/vault.ts';
import { newCallId } from '../../../services/core/telephony/ids.ts';
import { sql } from '../../../services/store/sql.ts';
import { insertCall } from '../../../services/store/tables/calls.ts';
import { masterKeys } from '../../support/world/master-keys.ts';
import { type Dashboard, expectNoBarriers } from './dashboard.ts';

/** A number is given its agent on the page, and a call that waits is cancelled. */
export const telephoneStories = (opened: () => Dashboard) =>
  describe('telephones on the page', () => {
    test('a number is added, answered by an agent and removed; a call that nobody has answered is cancelled', async () => {
      const { world } = opened();
      const { tenant } = world;
      const trunk = randomUUID();
      const { page, complaints } = await opened().openSignedIn('/t/local/numbers');
      await page.getByRole('heading', { name: 'There is no number yet' }).waitFor();
      await expectNoBarriers(page);
      await world.admin.query(sql`
        insert into trunks (tenant_id, id, name, address, transport, allowed_addresses, managed_by)
        values (${tenant}, ${trunk}, 'carrier', 'sip.example.com', 'tls', '{203.0.113.7}', 'person')`);
      await page.getByRole('button', { name: 'Add a number' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('Number').fill('+49 30 123456');
      await expectNoBarriers(page);
      await dialog.getByRole('button', { name: 'Add a number' }).click();
      await page.getByRole('link', { name: '+4930123456' }).click();
      await page.getByRole('combobox', { name: 'Agent' }).selectOption('echo');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByRole('status').getByText('+4930123456 is changed.').waitFor();
      const numbers = sql`select number, agent from numbers where tenant_id = ${tenant}`;
      expect(await world.admin.query(numbers)).toEqual([{ number: '+4930123456', agent: 'echo' }]);
      await expectNoBarriers(page);

      const id = newCallId();
      const seal = (side: 'from' | 'to', text: string) => makeVault(masterKeys).seal(text, { tenant, call: id, side });
      await world.admin.asTenant(tenant, (tx) =>
        insertCall(tx, tenant, {
          ...{ id, direction: 'outbound', state: 'queued', room_name: `r_${id}`, sip_call_id: null, trunk_id: trunk },
          ...{ number: '+4930123456', agent: 'echo', language: null, variables: {}, consent: null, prefix: '+49' },
          ...{ from_sealed: seal('from', '+4930123456'), to_sealed: seal('to', '+4940987654') },
          ...{ other_hash: randomBytes(32), max_seconds: 60, retentionMs: 86_400_000 },
        }),
      );
      await page.getByRole('link', { name: 'Calls out' }).click();
      await page
        .getByRole('row', { name: /\+4940987654/ })
        .getByRole('link')
        .click();
      await expectNoBarriers(page);
      await page.getByRole('button', { name: 'Cancel the call' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Cancel the call' }).click();
      await page.getByRole('main').getByText('Cancelled', { exact: true }).waitFor();
      expect(await world.admin.query(sql`select state from calls where id = ${id}`)).toEqual([{ state: 'canceled' }]);

      await page.getByRole('link', { name: 'Phone numbers' }).click();
      await page.getByRole('link', { name: '+4930123456' }).click();
      await page.getByRole('button', { name: 'Remove' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
      await page.getByRole('heading', { name: 'There is no number yet' }).waitFor();
      expect(await world.admin.query(numbers)).toEqual([]);
      expect(complaints).toEqual([]);
      await page.context().close();
    });
  });
