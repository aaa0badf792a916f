import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildWidget } from '../../../scripts/build-widget.ts';
import { eventually } from '../../support/eventually.ts';
import { startWorld, type World } from '../../support/world/world.ts';
import { axeFindings } from '../accessibility.ts';
import { openBrowser, openContext } from '../chromium.ts';
import { type Site, shop, startSite, tag } from './site.ts';

/** `npm run soak -- widget`: no host is there, and one conversation may wait for it. */
describe('the widget where no agent is there yet', () => {
  let world: World;
  let browser: Browser;
  let site: Site;

  beforeAll(async () => {
    await buildWidget();
    [browser, site] = await Promise.all([openBrowser(), startSite()]);
    world = await startWorld({
      ...{ hosts: 0, workers: 0, agents: join(import.meta.dirname, 'agents') },
      settings: { coldStart: { seconds: 300, most: 1 } },
    });
  });

  afterAll(async () => {
    await browser?.close();
    await site?.[Symbol.asyncDispose]();
    await world?.[Symbol.asyncDispose]();
  });

  async function visit(): Promise<Page> {
    const { apiKey } = await world.credentials('shop');
    const page = await (await openContext(browser)).newPage();
    await page.goto(site.page(shop({ head: tag({ service: world.baseUrl, key: apiKey, more: 'data-open' }) })));
    return page;
  }
  const say = async (page: Page, text: string) => {
    await page.locator('parley-widget textarea').fill(text);
    await page.locator('parley-widget textarea').press('Enter');
  };
  const answered = (page: Page, text: string) =>
    page.locator('parley-widget .said.agent[aria-busy=false]', { hasText: text });
  const wait = (page: Page) => page.locator('parley-widget header').getByText(/with you within \d+ seconds/);

  test('tells how long it takes, also after a reload, and whom there is no place for; both are answered once it has come', async () => {
    const first = await visit();
    await say(first, 'hello');
    await wait(first).waitFor();
    await first
      .locator('parley-widget [role=status]', { hasText: 'You can already write.' })
      .waitFor({ state: 'attached' });
    expect(await axeFindings(first)).toEqual([]);
    await eventually('the tab remembers what was written', () =>
      first.evaluate(() => JSON.stringify({ ...sessionStorage }).includes('hello')),
    );
    await first.reload();
    await wait(first).waitFor();
    await say(first, 'still here');

    const second = await visit();
    const refused = second.waitForResponse((response) => response.url().endsWith('/api/sessions'));
    await say(second, 'me too');
    expect((await refused).status()).toBe(503);
    await second.getByText('Everybody is busy at the moment.').waitFor();

    await world.startHost();
    await answered(first, 'hello').waitFor();
    await answered(first, 'still here').waitFor();
    expect(await wait(first).count()).toBe(0);
    const again = second.locator('parley-widget').getByRole('button', { name: 'Try again' });
    await eventually(
      'the second is answered',
      async () => {
        // It tries by itself first.
        if (await again.isVisible()) await again.click();
        return (await answered(second, 'me too').count()) > 0;
      },
      { withinMs: 90_000 },
    );
    await Promise.all([first, second].map((page) => page.context().close()));
  });
});
