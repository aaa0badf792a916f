import { readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { sql } from '../../../services/store/sql.ts';
import { card, type Dashboard, expectNoBarriers } from './dashboard.ts';

/** An agent is tried on the page, and what came of it is found, exported, turned into a scenario and erased. */
export const consoleStories = (opened: () => Dashboard) =>
  describe('a test on the page', () => {
    const stored = (session: string) =>
      opened().world.admin.query<{ test: boolean; end_reason: string; billed_seconds: number }>(
        sql`select test, end_reason, billed_seconds from sessions where id = ${session}`,
      );

    test('is held in writing with its tools shown, is marked, and becomes a scenario', async () => {
      const { page, complaints } = await opened().openSignedIn('/t/local/agents/echo');
      await page.getByRole('link', { name: 'Try it' }).click();
      await page.getByRole('button', { name: 'Begin' }).click();
      const said = page.getByRole('region', { name: 'What was said' });
      await said.getByText('Welcome to the echo.').waitFor();
      const field = page.getByRole('textbox', { name: 'Message to Echo' });
      await field.fill('wait 30 samovar');
      await page.keyboard.press('Enter');
      await said.getByText('Waited: samovar.').waitFor();
      await said.locator('[data-from=tool] summary').click();
      await said.getByText('"label": "samovar"').first().waitFor();
      await expectNoBarriers(page);
      await page.getByRole('button', { name: 'End it' }).click();
      await page.getByRole('link', { name: 'Read all of it' }).click();
      await said.getByText('Waited: samovar.').waitFor();
      await page.getByText('Test', { exact: true }).waitFor();
      const session = page.url().split('/').at(-1) ?? '';
      expect(await stored(session)).toEqual([{ test: true, end_reason: 'dashboard_ended', billed_seconds: 0 }]);

      await page.getByRole('button', { name: 'As a scenario' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByRole('button', { name: 'Write it' }).click();
      await dialog.getByText('wait 30 samovar').waitFor();
      await expectNoBarriers(page);
      await dialog.getByRole('button', { name: 'Add it in Git' }).click();
      await dialog.getByRole('status').getByText('proposal').waitFor();
      const branches = await opened().author.git('ls-remote', '--heads', 'origin', 'parley/*');
      const [commit = ''] = branches.split(/\s/);
      await opened().author.git('fetch', '--quiet', 'origin', commit);
      expect(await opened().author.git('show', `${commit}:agents/scenarios/echo.yaml`)).toContain('wait 30 samovar');
      await dialog.getByRole('button', { name: 'Done' }).click();
      expect(complaints).toEqual([]);
      await page.context().close();
    });

    test('is found by a word, exported, and erased', async () => {
      const { page, complaints } = await opened().openSignedIn('/t/local/sessions');
      await page.getByRole('searchbox', { name: 'Words' }).fill('samovar');
      await page.keyboard.press('Enter');
      await page.waitForURL(/words=samovar/);
      const row = page.getByRole('row', { name: /echo/ });
      await row.first().waitFor();
      expect(await row.count()).toBe(1);
      const download = page.waitForEvent('download');
      await page.getByRole('button', { name: 'Export' }).click();
      await page.getByRole('menuitem', { name: /^JSON Lines/ }).click();
      const file = await readFile(await (await download).path(), 'utf8');
      expect(file.trim().split('\n')).toHaveLength(1);
      expect(file).toContain('Waited: samovar.');

      await row.getByRole('link').click();
      await page.getByRole('button', { name: 'Erase' }).click();
      const session = page.url().split('/').at(-1) ?? '';
      await page.getByRole('dialog').getByRole('button', { name: 'Erase' }).click();
      await page.getByRole('status').getByText('The conversation was erased.').waitFor();
      expect(await stored(session)).toEqual([]);
      await card(page, 'Filters')
        .or(page.getByRole('heading', { name: 'Sessions' }))
        .first()
        .waitFor();
      expect(complaints).toEqual([]);
      await page.context().close();
    });
  });
