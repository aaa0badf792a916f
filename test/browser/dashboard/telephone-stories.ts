import { describe, expect, test } from 'vitest';
import { sql } from '../../../services/store/sql.ts';
import { storeCall } from '../../support/databases/stored-call.ts';
import { type Dashboard, expectNoBarriers } from './dashboard.ts';
import { makeTrunk } from './made.ts';

/** A number is given its agent on the page, and a call that waits is cancelled. */
export const telephoneStories = (opened: () => Dashboard) =>
  describe('telephones on the page', () => {
    test('a number is added, answered by an agent and removed; a call that nobody has answered is cancelled', async () => {
      const { world } = opened();
      const { tenant } = world;
      const { page, complaints } = await opened().openSignedIn('/t/local/numbers');
      await page.getByRole('heading', { name: 'There is no number yet' }).waitFor();
      await expectNoBarriers(page);
      const trunk = await makeTrunk(world, 'carrier');
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

      const where = { db: world.admin, tenant };
      const id = await storeCall(where, { from: '+4930123456', to: '+4940987654', trunk });
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

    test('on a phone and in the dark a trunk is added and opened, a number gets hours, and somebody is called no more', async () => {
      const { world } = opened();
      const { tenant } = world;
      const { page, complaints } = await opened().openSignedIn('/t/local/trunks', {
        ...{ viewport: { width: 360, height: 720 }, colorScheme: 'dark' },
      });
      await page.getByRole('button', { name: 'Add a trunk' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('Name', { exact: true }).fill('second carrier');
      await dialog.getByLabel('Address of the carrier').fill('sip.example.com');
      await dialog.getByLabel('User name').fill('acme');
      await dialog.getByLabel('Variable that holds the password').fill('CARRIER_PASSWORD');
      await dialog.getByLabel('From these addresses').fill('203.0.113.8');
      await expectNoBarriers(page);
      await dialog.getByRole('button', { name: 'Add a trunk' }).click();
      await page.getByRole('link', { name: 'second carrier' }).click();
      const signsIn = sql`select auth_username, auth_password from trunks where tenant_id = ${tenant} and name = 'second carrier'`;
      expect(await world.admin.query(signsIn)).toEqual([{ auth_username: 'acme', auth_password: 'CARRIER_PASSWORD' }]);
      await page.getByLabel('User name').fill('');
      await page.getByLabel('Variable that holds the password').fill('');
      await page.getByLabel('What may be dialled').fill('+49\n+43');
      await page.getByLabel('Dials a minute').fill('6');
      await expectNoBarriers(page);
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByRole('status').getByText('second carrier is changed.').waitFor();
      const trunks = sql`select allowed_prefixes, max_dials_per_minute from trunks where tenant_id = ${tenant} and name = 'second carrier'`;
      expect(await world.admin.query(trunks)).toEqual([{ allowed_prefixes: ['+49', '+43'], max_dials_per_minute: 6 }]);
      expect(await world.admin.query(signsIn)).toEqual([{ auth_username: null, auth_password: null }]);

      await page.goto(`${world.baseUrl}/t/local/numbers`);
      await page.getByRole('button', { name: 'Add a number' }).click();
      await dialog.getByLabel('Number').fill('+49 30 123457');
      await dialog.getByLabel('Trunk').selectOption('second carrier');
      await dialog.getByRole('button', { name: 'Add a number' }).click();
      await page.getByRole('link', { name: '+4930123457' }).click();
      await page.getByRole('radio', { name: 'At certain times' }).check();
      await page.getByLabel('Time zone').fill('Europe/Berlin');
      await page.getByRole('checkbox', { name: 'Fri' }).uncheck();
      await page.getByLabel('To', { exact: true }).fill('18:30');
      await expectNoBarriers(page);
      await page.getByRole('button', { name: 'Set the hours' }).click();
      await page.getByText('Mon, Tue, Wed, Thu 09:00–18:30 (Europe/Berlin)').waitFor();
      const hours = sql`select hours from numbers where tenant_id = ${tenant} and number = '+4930123457'`;
      const open = [{ days: ['mon', 'tue', 'wed', 'thu'], from: '09:00', to: '18:30' }];
      expect(await world.admin.query(hours)).toEqual([{ hours: { zone: 'Europe/Berlin', open } }]);

      await page.goto(`${world.baseUrl}/t/local/opt-outs`);
      await page.getByRole('heading', { name: 'Nobody has asked not to be called' }).waitFor();
      await page.getByRole('textbox', { name: 'Number' }).fill('+49 40 111222');
      await page.getByRole('button', { name: 'Call this number no more' }).click();
      await page.getByRole('rowheader', { name: '+4940111222' }).waitFor();
      await expectNoBarriers(page);
      const count = sql`select count(*)::int as count from opt_outs where tenant_id = ${tenant}`;
      expect(await world.admin.query(count)).toEqual([{ count: 1 }]);
      await page.getByRole('button', { name: '+4940111222 may be called again' }).click();
      await dialog.getByRole('button', { name: 'May be called' }).click();
      await page.getByRole('heading', { name: 'Nobody has asked not to be called' }).waitFor();
      expect(await world.admin.query(count)).toEqual([{ count: 0 }]);
      expect(complaints).toEqual([]);
      await page.context().close();
    });
  });
