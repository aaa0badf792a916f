import type { Browser } from 'playwright-core';
import { askWidget, longTasksOf, openShop, pressLauncher, type Shop } from '../clients/shop.ts';
import type { Row } from '../row.ts';
import { figureOf } from '../statistics.ts';

/** The page settles within it, and the widget has asked for languages and defaults when idle. */
const lookMs = 4_000;
/** From the press, the person's own typing left out: first for who has nothing of it in the cache, then for who has. */
interface Round {
  shownMs: number;
  firstReplyMs: number;
  shownAgainMs: number;
  firstReplyAgainMs: number;
  longTasksMs: number;
  longTasksBareMs: number;
}

/** What a visitor waits for, and what the page's own thread is kept from. */
export const widgetFirstReply: Row = {
  name: 'widget-first-reply',
  title: 'The widget: from the press on its button to the first reply, and long tasks while the page loads',
  against: 'for the long tasks the same page without the widget, in turn',
  limitMinutes: 15,
  run: async ({ pairs, say }) => {
    await using shop = await openShop();
    // The processes' own first conversation.
    await conversation(shop);
    const rounds: Round[] = [];
    for (let round = 0; round < pairs; round += 1) {
      const one = { ...(await conversation(shop)), ...(await load(shop)) };
      rounds.push(one);
      say(
        Object.entries(one)
          .map(([name, ms]) => `${name} ${ms.toFixed(0)}`)
          .join(', '),
      );
    }
    const figure = (name: string, key: keyof Round) =>
      figureOf(
        { name, unit: 'ms' },
        rounds.map((one) => one[key]),
      );
    return {
      figures: [
        figure('from the press to the window, nothing cached', 'shownMs'),
        figure('from the press to the first words of the reply, nothing cached', 'firstReplyMs'),
        figure('from the press to the window, on a second visit', 'shownAgainMs'),
        figure('from the press to the first words of the reply, on a second visit', 'firstReplyAgainMs'),
        figure('long tasks while the page loads, with the widget', 'longTasksMs'),
        figure('long tasks while the page loads, without it', 'longTasksBareMs'),
      ],
      notes: [
        'A real Chromium, service and room server on the same cores, by loopback; the agent repeats the text, without a model. The text is written as soon as the window is there, so that the session, the room and the agent’s coming are all within the figure.',
        `A long task keeps the page’s thread for 50 ms or more (the browser’s definition); the figure is their sum in the first ${lookMs / 1_000} s.`,
      ],
    };
  },
};

/** Two visits of one person: the second has everything in the cache, and begins a conversation of its own. */
async function conversation({ browser, pages }: Shop) {
  const context = await browser.newContext();
  const visit = async () => {
    const page = await context.newPage();
    await page.goto(pages.withWidget);
    const { pressedAt, shownAfterMs } = await pressLauncher(page);
    const repliedAt = await askWidget(page, 'good morning');
    await page.close();
    return { shownMs: shownAfterMs, firstReplyMs: repliedAt - pressedAt };
  };
  const first = await visit();
  const { shownMs: shownAgainMs, firstReplyMs: firstReplyAgainMs } = await visit();
  await context.close();
  return { ...first, shownAgainMs, firstReplyAgainMs };
}

async function load({ browser, pages }: Shop) {
  const longTasksBareMs = await loaded(browser, pages.bare);
  return { longTasksBareMs, longTasksMs: await loaded(browser, pages.withWidget) };
}

async function loaded(browser: Browser, address: string): Promise<number> {
  const context = await browser.newContext();
  const tasks = await longTasksOf(context, address, lookMs);
  await context.close();
  return tasks.reduce((sum, ms) => sum + ms, 0);
}
