import { setTimeout as rest } from 'node:timers/promises';
import type { BrowserContext, CDPSession, Page } from 'playwright-core';
import { askWidget, openShop, pressLauncher } from '../clients/shop.ts';
import type { Row } from '../row.ts';
import { oneFigure } from '../statistics.ts';

/** A conversation lasts an hour at most, by default, and begins before the first look. */
const openMs = 59 * 60_000;
const smokeMs = 20_000;
/** A person who writes two texts a minute, so that no limit on idle conversations ends it. */
const textEveryMs = 30_000;
const smokeTextEveryMs = 4_000;
/** Loading, the launcher, and the question for languages and defaults are over by then. */
const settledMs = 10_000;

/** What stays of it in a tab that nobody closes: once in conversation, once never opened. */
export const widgetOpenHour: Row = {
  name: 'widget-open-hour',
  title: 'The widget in a tab that stays open for an hour: memory in conversation, requests while closed',
  against: 'the same page without the widget, for its memory',
  limitMinutes: 75,
  run: async ({ smoke, say }) => {
    const [lastsMs, everyMs] = smoke ? [smokeMs, smokeTextEveryMs] : [openMs, textEveryMs];
    await using shop = await openShop();
    const tabs = await Promise.all(
      [shop.pages.bare, shop.pages.withWidget, shop.pages.withWidget].map((address) =>
        tabOf(shop.browser.newContext(), address),
      ),
    );
    const [bare, closed, open] = tabs;
    if (!bare || !closed || !open) throw new Error('three tabs were opened');
    await pressLauncher(open.page);
    await askWidget(open.page, 'text 0');
    await rest(settledMs);
    closed.forget();
    const began = { bare: await heapOf(bare), open: await heapOf(open) };
    const until = performance.now() + lastsMs;
    let texts = 1;
    for (; performance.now() < until; texts += 1) {
      await rest(everyMs);
      await askWidget(open.page, `text ${texts}`);
      if (texts % 20 === 0) say(`${texts} texts: ${(await heapOf(open)).toFixed(1)} MB`);
    }
    const ended = { bare: await heapOf(bare), closed: await heapOf(closed), open: await heapOf(open) };
    const megabytes = (name: string, value: number) => oneFigure({ name, unit: 'MB' }, value);
    return {
      figures: [
        megabytes('JavaScript heap after the first reply, over the page’s own', began.open - began.bare),
        megabytes(`after ${texts} texts and their replies, over the page’s own`, ended.open - ended.bare),
        megabytes('closed: over the page’s own at the end', ended.closed - ended.bare),
        oneFigure({ name: 'closed: requests', unit: 'requests', target: { text: '0', atMost: 0 } }, closed.requests()),
        oneFigure({ name: 'closed: sockets', unit: 'sockets', target: { text: '0', atMost: 0 } }, closed.sockets()),
      ],
      notes: [
        `${lastsMs / 60_000} minutes by the clock, with a text every ${everyMs / 1_000} s; heap after a collection of garbage, as Chromium counts it (JSHeapUsedSize).`,
        `Requests and sockets of the closed widget are counted from ${settledMs / 1_000} s after the page has loaded, when it has its languages and defaults.`,
      ],
    };
  },
};

interface Tab {
  page: Page;
  cdp: CDPSession;
  requests(): number;
  sockets(): number;
  /** Counts from nought again. */
  forget(): void;
}

async function tabOf(opened: Promise<BrowserContext>, address: string): Promise<Tab> {
  const context = await opened;
  const page = await context.newPage();
  const cdp = await context.newCDPSession(page);
  await cdp.send('Performance.enable');
  let [requests, sockets] = [0, 0];
  page.on('request', () => (requests += 1));
  page.on('websocket', () => (sockets += 1));
  await page.goto(address);
  return {
    ...{ page, cdp, requests: () => requests, sockets: () => sockets },
    forget() {
      [requests, sockets] = [0, 0];
    },
  };
}

/** Megabytes of the page's JavaScript heap that are in use after what nothing holds has been collected. */
async function heapOf({ cdp }: Tab): Promise<number> {
  await cdp.send('HeapProfiler.collectGarbage');
  const { metrics } = await cdp.send('Performance.getMetrics');
  const used = metrics.find(({ name }) => name === 'JSHeapUsedSize')?.value;
  if (used === undefined) throw new Error('the browser tells nothing of its heap');
  return used / 1_000_000;
}
