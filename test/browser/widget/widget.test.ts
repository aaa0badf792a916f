import type { Browser, BrowserContextOptions, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildWidget } from '../../../scripts/build-widget.ts';
import { sql } from '../../../services/store/sql.ts';
import { eventually } from '../../support/eventually.ts';
import { startWorld, type World } from '../../support/world/world.ts';
import { openBrowser } from '../chromium.ts';
import { type Site, shop, startSite, tag } from './site.ts';

let world: World;
let browser: Browser;
let site: Site;
let key: string;

beforeAll(async () => {
  await buildWidget();
  [browser, site] = await Promise.all([openBrowser(), startSite()]);
  world = await startWorld({ workers: 0 });
  key = (await world.credentials('echo')).apiKey;
});

afterAll(async () => {
  await browser?.close();
  await site?.[Symbol.asyncDispose]();
  await world?.[Symbol.asyncDispose]();
});

interface Visit {
  page: Page;
  /** What the browser complained about. */
  complaints: string[];
  /** Addresses of the service that were asked for. */
  asked: string[];
}

async function visit(
  html: string,
  headers: Record<string, string> = {},
  options: BrowserContextOptions = {},
): Promise<Visit> {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  const complaints: string[] = [];
  const asked: string[] = [];
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (message) => ['error', 'warning'].includes(message.type()) && complaints.push(message.text()));
  page.on(
    'request',
    (request) => request.url().startsWith(world.baseUrl) && asked.push(request.url().slice(world.baseUrl.length)),
  );
  await page.goto(site.page(html, headers));
  return { page, complaints, asked };
}

const ourTag = (more = '') => tag({ service: world.baseUrl, key, more });
const panel = (page: Page): Locator => page.getByRole('dialog');
const field = (page: Page): Locator => page.getByRole('textbox', { name: 'Write a message…' });
const hears = (page: Page, text: string) =>
  page.locator('parley-widget .said.agent[aria-busy=false]', { hasText: text }).last().waitFor();

async function say(page: Page, text: string): Promise<void> {
  await field(page).fill(text);
  await field(page).press('Enter');
}

describe('the widget on a page of another origin', () => {
  test('a person opens it, writes, and is answered; nothing is asked of the service before', async () => {
    const { page, complaints, asked } = await visit(shop({ head: ourTag() }));
    await page.getByRole('button', { name: 'Open chat' }).waitFor();
    await eventually('it has asked for languages', () => asked.length > 1);
    expect(asked).toEqual(['/widget.js', '/api/sessions/languages']);
    await page.getByRole('button', { name: 'Open chat' }).click();
    await panel(page).waitFor();
    expect(asked.filter((path) => path === '/api/sessions')).toEqual([]);

    await say(page, 'good morning');
    await hears(page, 'Welcome to the echo.');
    await hears(page, 'You said: good morning');
    const [row] = await world.admin.query<{ channel: string; status: string }>(
      sql`select channel, status from sessions order by created_at desc limit 1`,
    );
    expect(row).toEqual({ channel: 'widget', status: 'running' });
    expect(complaints).toEqual([]);
    await page.context().close();
  });
});
