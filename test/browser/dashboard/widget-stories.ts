import { describe, expect, test } from 'vitest';
import { buildWidget } from '../../../scripts/build-widget.ts';
import { eventually } from '../../support/eventually.ts';
import { type Dashboard, expectNoBarriers } from './dashboard.ts';

/** How an agent is put on a website: chosen, seen, copied. */
export const widgetStories = (opened: () => Dashboard) =>
  describe('the widget on the page', () => {
    test('is chosen, spoken to in the preview, and its tag and policy say what was chosen', async () => {
      await buildWidget();
      const { world } = opened();
      const { page, complaints } = await opened().openSignedIn('/t/local/agents/echo');
      await page.getByRole('link', { name: 'Website' }).click();
      const tag = page.getByRole('region', { name: 'Tag for the page' }).locator('pre');
      await tag.getByText('data-agent-key').waitFor();
      const [apiKey = ''] = /pk_[\w-]{43}/.exec((await tag.textContent()) ?? '') ?? [];
      await page.getByRole('combobox', { name: 'Appearance' }).selectOption('dark');
      await page.getByRole('textbox', { name: 'Heading' }).fill('Ask "us"');
      expect(await tag.textContent()).toBe(
        `<script src="${world.baseUrl}/widget.js" data-agent-key="${apiKey}" data-theme="dark" data-title="Ask &quot;us&quot;" async></script>`,
      );
      const policy = page.getByRole('region', { name: 'Content-Security-Policy' }).locator('pre');
      expect(await policy.textContent()).toContain(`connect-src ${world.baseUrl} ${world.rooms.url}`);
      await expectNoBarriers(page);
      await page.getByRole('textbox', { name: 'Element of the page' }).fill('.chat');
      expect(await tag.textContent()).toContain('data-target=".chat"');
      await page.frameLocator('iframe').locator('#place parley-widget textarea').waitFor();
      await page.getByRole('textbox', { name: 'Element of the page' }).fill('');

      const preview = page.frameLocator('iframe');
      await preview.getByRole('button', { name: 'Open chat: Ask "us"' }).click();
      const dialog = preview.getByRole('dialog', { name: 'Ask "us"' });
      await dialog.waitFor();
      const isDark = () => preview.locator('.panel').getAttribute('data-theme');
      await eventually('it is dark', async () => (await isDark()) === 'dark');
      await preview.getByRole('textbox', { name: 'Write a message…' }).fill('good morning');
      await preview.getByRole('textbox', { name: 'Write a message…' }).press('Enter');
      await preview.locator('.said.agent[aria-busy=false]').filter({ hasText: 'good morning' }).waitFor();
      expect(complaints).toEqual([]);
      await page.context().close();
    });
  });
