import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildWidget } from '../../../scripts/build-widget.ts';
import { startWorld, type World } from '../../support/world/world.ts';
import { axeFindings } from '../accessibility.ts';
import { openBrowser, openContext } from '../chromium.ts';
import { type Site, shop, startSite, tag } from './site.ts';

/** Where people look at them: kept until the next run. */
const pictures = join(import.meta.dirname, '../../../.parley/pictures/widget');

const themes = ['light', 'dark'] as const;
const shapes = [
  { name: 'window', viewport: { width: 1_000, height: 720 }, locale: 'en-GB' },
  { name: 'phone', viewport: { width: 360, height: 700 }, locale: 'en-GB' },
  { name: 'right-to-left', viewport: { width: 1_000, height: 720 }, locale: 'ar-EG' },
] as const;

/** `npm run soak -- widget`: each state that a person can meet, as a picture in both themes, on a phone and from right to left. */
describe('the widget is pictured', () => {
  let world: World;
  let browser: Browser;
  let site: Site;
  let key: string;

  beforeAll(async () => {
    await buildWidget();
    await mkdir(pictures, { recursive: true });
    [browser, site] = await Promise.all([openBrowser(), startSite()]);
    world = await startWorld({ workers: 0, agents: join(import.meta.dirname, 'agents') });
    key = (await world.credentials('shop')).apiKey;
  });

  afterAll(async () => {
    await browser?.close();
    await site?.[Symbol.asyncDispose]();
    await world?.[Symbol.asyncDispose]();
  });

  const open = async (options: BrowserContextOptions, more: string): Promise<Page> => {
    const page = await (await openContext(browser, { ...options, reducedMotion: 'reduce' })).newPage();
    await page.goto(site.page(shop({ head: tag({ service: world.baseUrl, key, more }) })));
    await page.locator('parley-widget').waitFor({ state: 'attached' });
    return page;
  };
  const say = async (page: Page, text: string) => {
    await page.locator('parley-widget textarea').fill(text);
    await page.locator('parley-widget textarea').press('Enter');
  };
  const hears = (page: Page, text: string) =>
    page.locator('parley-widget .said.agent[aria-busy=false]', { hasText: text }).last().waitFor();

  /** What leads to each state; the next goes on from the one before. */
  async function states(page: Page, take: (state: string) => Promise<void>): Promise<void> {
    await page.locator('parley-widget .launcher').waitFor();
    await take('closed');
    await page.locator('parley-widget .launcher').click();
    await page.locator('parley-widget textarea').waitFor();
    await take('open');
    await page.route('**/api/sessions', (route) =>
      route.fulfill({ status: 503, json: { code: 'no_capacity', message: 'x' } }),
    );
    await say(page, 'good morning');
    await page.locator('parley-widget .notice').waitFor();
    await take('nobody-free');
    await page.unroute('**/api/sessions');
    await hears(page, 'good morning');
    await say(page, '**one** [two](https://example.org)\n- three\n- four `five`');
    await hears(page, 'five');
    await take('talking');
    await page.context().setOffline(true);
    await page
      .locator('parley-widget')
      .getByText(/Connection lost|انقطع/)
      .first()
      .waitFor();
    await take('connection-lost');
    await page.context().setOffline(false);
    await say(page, 'goodbye');
    await page.locator('parley-widget .composer.only').first().waitFor();
    await take('ended');
  }

  for (const colorScheme of themes)
    for (const { name, ...shape } of shapes)
      test(`${colorScheme}, ${name}`, async () => {
        const page = await open({ colorScheme, ...shape }, '');
        await states(page, async (state) => {
          expect(await axeFindings(page), state).toEqual([]);
          await page.screenshot({ path: join(pictures, `${name}-${colorScheme}-${state}.png`) });
        });
        await page.context().close();
        const asked = await open({ colorScheme, ...shape }, 'data-open data-consent="May we talk?"');
        await asked.getByText('May we talk?').waitFor();
        await asked.screenshot({ path: join(pictures, `${name}-${colorScheme}-consent.png`) });
        await asked.context().close();
      });
});
