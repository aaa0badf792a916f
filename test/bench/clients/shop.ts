import { join } from 'node:path';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { buildWidget } from '../../../scripts/build-widget.ts';
import { openBrowser } from '../../browser/chromium.ts';
import { shop, startSite, tag } from '../../browser/widget/site.ts';
import { startWorld } from '../../support/world/world.ts';

/** A customer's website with our tag on it, the same page without it, and the service behind them. */
export interface Shop extends AsyncDisposable {
  browser: Browser;
  /** Addresses. */
  pages: { bare: string; withWidget: string };
}

const agents = join(import.meta.dirname, '../../browser/widget/agents');

/** @returns a real Chromium and the product as real processes, with the agent of the widget's stories, which repeats texts */
export async function openShop(): Promise<Shop> {
  await buildWidget();
  await using stack = new AsyncDisposableStack();
  const world = stack.use(await startWorld({ workers: 0, agents }));
  const site = stack.use(await startSite());
  const browser = stack.use(await openBrowser());
  const { apiKey: key } = await world.credentials('shop');
  const pages = {
    bare: site.page(shop({})),
    withWidget: site.page(shop({ head: tag({ service: world.baseUrl, key }) })),
  };
  const opened = stack.move();
  return { browser, pages, [Symbol.asyncDispose]: () => opened.disposeAsync() };
}

/** Milliseconds of each task of the page's main thread that took 50 or more, the browser's own definition of a long one. */
export async function longTasksOf(context: BrowserContext, address: string, lookMs: number): Promise<number[]> {
  const page = await context.newPage();
  await page.addInitScript(() => {
    const durations: number[] = [];
    Object.assign(window, { longTasks: durations });
    new PerformanceObserver((list) => durations.push(...list.getEntries().map(({ duration }) => duration))).observe({
      type: 'longtask',
      buffered: true,
    });
  });
  await page.goto(address);
  await page.waitForTimeout(lookMs);
  const found = await page.evaluate(() => (window as unknown as { longTasks: number[] }).longTasks);
  await page.close();
  return found;
}

/** Presses the button of the widget, and waits for its window. @returns when it was pressed, by the page's own clock */
export async function pressLauncher(page: Page): Promise<{ pressedAt: number; shownAfterMs: number }> {
  const launcher = page.locator('parley-widget .launcher');
  await launcher.waitFor();
  await page.evaluate(() =>
    addEventListener('pointerdown', () => Object.assign(window, { pressedAt: performance.now() }), true),
  );
  await launcher.click();
  const shownAt = await momentOf(page, 'textarea');
  const pressedAt = await page.evaluate(() => (window as unknown as { pressedAt: number }).pressedAt);
  return { pressedAt, shownAfterMs: shownAt - pressedAt };
}

/** Writes at once. @returns when the first words that answer it are there, by the page's own clock */
export async function askWidget(page: Page, text: string): Promise<number> {
  const field = page.locator('parley-widget textarea');
  await field.fill(text);
  await field.press('Enter');
  return momentOf(page, '.said.agent', text);
}

/** The page's clock at the frame in which the widget first shows something that fits `selector` and holds `text`. */
async function momentOf(page: Page, selector: string, text = ''): Promise<number> {
  const seen = await page.waitForFunction(
    ([wanted, words]) => {
      const found = document.querySelector('parley-widget')?.shadowRoot?.querySelectorAll(wanted) ?? [];
      return [...found].some((element) => element.textContent?.includes(words)) ? performance.now() : undefined;
    },
    [selector, text] as const,
    { polling: 'raf', timeout: 60_000 },
  );
  return (await seen.jsonValue()) as number;
}
