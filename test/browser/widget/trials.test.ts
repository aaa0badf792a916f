import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { AccessToken } from 'livekit-server-sdk';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { buildWidget } from '../../../scripts/build-widget.ts';
import { regenerateKey } from '../../../services/core/credentials/credentials.ts';
import { makeVault } from '../../../services/core/credentials/vault.ts';
import { openDatabase } from '../../../services/store/database.ts';
import { makeNotifier } from '../../../services/store/notify.ts';
import { sql } from '../../../services/store/sql.ts';
import { eventually } from '../../support/eventually.ts';
import { Person } from '../../support/people/person.ts';
import { type ChallengeProvider, startChallengeProvider } from '../../support/stand-ins/challenge-provider.ts';
import { type OpenAIServer, startOpenAIServer } from '../../support/stand-ins/openai-server.ts';
import { openaiModel } from '../../support/world/agent-files.ts';
import { masterKeys } from '../../support/world/master-keys.ts';
import { startWorld, type World } from '../../support/world/world.ts';
import { axeFindings } from '../accessibility.ts';
import { openBrowser, openContext } from '../chromium.ts';
import { type Site, shop, startSite, tag } from './site.ts';

const lineLength = 100_000;

/** `npm run soak -- widget`: what happens to a conversation, by the service itself and not by a stand-in for it. */
describe('the widget that is tried', () => {
  let world: World;
  let browser: Browser;
  let site: Site;
  let challenges: ChallengeProvider;
  let model: OpenAIServer;

  beforeAll(async () => {
    await buildWidget();
    [browser, site, challenges, model] = await Promise.all([
      ...([openBrowser(), startSite(), startChallengeProvider(), startOpenAIServer()] as const),
    ]);
    world = await startWorld({
      agents: join(import.meta.dirname, 'agents'),
      settings: { challenges: { hcaptcha: challenges.secret, verifyAt: challenges.url } },
    });
    const source = parse(await readFile(join(world.agentsFolder, 'shop.yaml'), 'utf8')) as Record<string, unknown>;
    const thinker = { ...source, script: undefined, model: openaiModel(model.baseUrl) };
    await writeFile(join(world.agentsFolder, 'thinker.yaml'), stringify(thinker));
    await world.publishAgents();
  });

  afterAll(async () => {
    await browser?.close();
    await site?.[Symbol.asyncDispose]();
    await challenges?.[Symbol.asyncDispose]();
    await model?.[Symbol.asyncDispose]();
    await world?.[Symbol.asyncDispose]();
  });

  async function visit(
    agent = 'shop',
    options: BrowserContextOptions = {},
    before?: (page: Page) => Promise<unknown>,
  ): Promise<Page> {
    const { apiKey } = await world.credentials(agent);
    const page = await (await openContext(browser, options)).newPage();
    await before?.(page);
    await page.goto(site.page(shop({ head: tag({ service: world.baseUrl, key: apiKey, more: 'data-open' }) })));
    return page;
  }

  const field = (page: Page) => page.locator('parley-widget textarea');
  const hears = (page: Page, text: string, timeout?: number) =>
    page
      .locator('parley-widget .said.agent[aria-busy=false]', { hasText: text })
      .last()
      .waitFor(timeout === undefined ? {} : { timeout });
  async function say(page: Page, text: string): Promise<void> {
    await field(page).fill(text);
    await field(page).press('Enter');
  }
  const press = (page: Page, name: string) => page.locator('parley-widget').getByRole('button', { name }).click();

  test('minutes of a tab that is closed run to its closing, without the grace', async () => {
    const page = await visit();
    await say(page, 'hello');
    await hears(page, 'hello');
    const before = Date.now();
    await page.context().close();
    const after = Date.now();
    const ended = await eventually(
      'it has ended',
      async () => {
        const [row] = await world.admin.query<Ended>(sql`
        select end_reason, duration_seconds, billed_seconds, extract(epoch from started_at)::float * 1000 as began_ms
        from sessions where status = 'ended' and end_reason = 'participant_left' order by created_at desc limit 1`);
        return row;
      },
      { withinMs: 90_000 },
    );
    // Whole seconds, and the room server's own time to notice.
    const [least, most] = [(before - ended.began_ms) / 1_000 - 1, (after - ended.began_ms) / 1_000 + 4];
    for (const seconds of [ended.duration_seconds, ended.billed_seconds]) {
      expect(seconds).toBeGreaterThanOrEqual(Math.floor(least));
      expect(seconds).toBeLessThanOrEqual(Math.ceil(most));
    }
  });
  interface Ended {
    end_reason: string;
    duration_seconds: number;
    billed_seconds: number;
    began_ms: number;
  }

  test('a visitor who has as many conversations as one may have is told, and may try again', async () => {
    const first = await visit('narrow');
    await say(first, 'mine');
    await hears(first, 'mine');
    const second = await visit('narrow');
    const answered = second.waitForResponse((response) => response.url().endsWith('/api/sessions'));
    await say(second, 'me too');
    expect((await answered).status()).toBe(429);
    await second.getByText('That was a lot at once. Please wait a moment.').waitFor();
    expect(await axeFindings(second)).toEqual([]);
    await press(first, 'More');
    await press(first, 'End conversation');
    await first.getByText('The conversation has ended.').first().waitFor();
    // The budget of requests is used up as well: what the widget does about that, it does by itself.
    await press(second, 'Try again');
    await hears(second, 'me too', 150_000);
    await Promise.all([first, second].map((page) => page.context().close()));
  });

  test('a key that is changed while a conversation goes on: it goes on, and after a reload the person is told why it cannot', async () => {
    const page = await visit('members-later');
    await say(page, 'before');
    await hears(page, 'before');
    const db = openDatabase(world.serviceUrl);
    const owner = { tenant: world.tenant, agent: 'members-later' };
    await regenerateKey({ db, vault: makeVault(masterKeys), notifier: makeNotifier(db) }, owner, 0);
    await db.close();
    await say(page, 'after');
    await hears(page, 'after');
    await page.reload();
    await page.getByText('This chat is switched off.').first().waitFor();
    await page.context().close();
  });

  test('at 200 % everything is there, is reached, and nothing goes beyond the window', async () => {
    // A window of 1280 × 720 whose page is zoomed to 200 %: as many CSS pixels as half of each.
    const page = await visit('shop', { viewport: { width: 640, height: 360 }, deviceScaleFactor: 2 });
    await say(page, 'zoomed');
    await hears(page, 'zoomed');
    for (const name of ['Close chat', 'More', 'Speak', 'Send']) {
      const box = await page.locator('parley-widget').getByRole('button', { name, exact: true }).boundingBox();
      expect(box, name).not.toBeNull();
      expect(box && box.x >= 0 && box.y >= 0 && box.x + box.width <= 640 && box.y + box.height <= 360, name).toBe(true);
    }
    expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
    expect(await page.locator('parley-widget .transcript').evaluate((box) => box.clientHeight)).toBeGreaterThan(80);
    await press(page, 'More');
    await page.locator('parley-widget').getByRole('button', { name: 'Copy the conversation' }).click();
    expect(await axeFindings(page)).toEqual([]);
    await press(page, 'Close chat');
    await page.getByRole('button', { name: /^Open chat/ }).waitFor();
    await page.context().close();
  });

  test('a reply of 100 kB in one line is read at its beginning, shown whole when asked for, and widens nothing', async () => {
    model.reply(() => ({ text: 'w'.repeat(lineLength) }));
    const page = await visit('thinker');
    await say(page, 'hello');
    await hears(page, 'w'.repeat(100));
    const reply = page.locator('parley-widget .said.agent[aria-busy=false]').last();
    await reply.getByRole('button', { name: 'Show all' }).click();
    expect(((await reply.textContent()) ?? '').match(/w/g)?.length).toBeGreaterThanOrEqual(lineLength);
    const transcript = page.locator('parley-widget .transcript');
    expect(await transcript.evaluate((box) => box.scrollWidth > box.clientWidth)).toBe(false);
    expect(await page.evaluate(() => document.documentElement.scrollWidth > innerWidth)).toBe(false);
    model.reply(() => ({ text: 'and after it' }));
    await say(page, 'go on');
    await hears(page, 'and after it');
    await page.context().close();
  });

  const streaming = (page: Page, text: string) =>
    page.locator('parley-widget .said.agent[aria-busy=true]', { hasText: text });

  test('an answer in writing is read as it comes, and stopped by one press; what comes next is answered', async () => {
    model.reply(() => ({ text: 'one two three four five', stall: { after: 3 } }));
    const page = await visit('thinker');
    await say(page, 'count');
    await streaming(page, 'one two three').waitFor();
    expect(await axeFindings(page)).toEqual([]);
    await press(page, 'Stop');
    await hears(page, 'one two three');
    expect(await page.locator('parley-widget').getByRole('button', { name: 'Stop' }).count()).toBe(0);
    expect(await page.locator('parley-widget .dots').count()).toBe(0);
    model.reply(() => ({ text: 'Very well.' }));
    await say(page, 'thank you');
    await hears(page, 'Very well.');
    await page.context().close();
  });

  test('a page that is loaded again in the middle of a sentence shows all of it, once, where it stood', async () => {
    const numbers = Array.from({ length: 60 }, (_, at) => `n${at}`).join(' ');
    model.reply(() => ({ text: numbers, chunkDelayMs: 100 }));
    const page = await visit('thinker');
    await say(page, 'count');
    await streaming(page, 'n0 n1 n2').waitFor();
    await page.reload();
    await hears(page, numbers);
    expect(await page.locator('parley-widget .said.agent', { hasText: 'n0 n1 n2' }).count()).toBe(1);
    await page.context().close();
  });

  test('what the page does for the agent is shown while it does it; nobody else may ask for it, and what it does not do fails', async () => {
    const page = await visit();
    await say(page, 'show Oslo');
    await hears(page, 'The page said no.');
    await page.evaluate(() => {
      type Parley = HTMLElement & { registerTool(name: string, run: (args: object) => unknown, options: object): void };
      const shown = new Promise((resolve) => document.addEventListener('shown', resolve, { once: true }));
      const show = (args: object) => shown.then(() => ({ shown: (args as { place: string }).place }));
      document.querySelector<Parley>('parley-widget')?.registerTool('show_place', show, { label: 'Showing the map' });
    });
    await say(page, 'show Rome');
    await page.getByText('Working on this page: Showing the map').waitFor();

    const [session] = await world.admin.query<{ room_name: string; participant_identity: string }>(
      sql`select room_name, participant_identity from sessions where status = 'running' order by created_at desc limit 1`,
    );
    const token = new AccessToken(world.rooms.apiKey, world.rooms.apiSecret, { identity: 'somebody else' });
    token.addGrant({ room: session?.room_name ?? '', roomJoin: true, canPublishData: true });
    await using intruder = await Person.join({ wsUrl: world.rooms.url, token: await token.toJwt() });
    const asks = intruder.room.localParticipant?.performRpc({
      destinationIdentity: session?.participant_identity ?? '',
      method: 'show_place',
      payload: JSON.stringify({ callId: 'c1', arguments: { place: 'Paris' } }),
    });
    await expect(asks).rejects.toThrow('Only the agent may ask.');

    await page.evaluate(() => document.dispatchEvent(new Event('shown')));
    await hears(page, 'Shown: Rome.');
    expect(await page.getByText('Working on this page').count()).toBe(0);
    await page.context().close();
  });

  test('what was said is copied as it was said, and the person is told whether it was', async () => {
    const page = await visit('shop', { permissions: ['clipboard-read', 'clipboard-write'] });
    await say(page, 'please');
    await hears(page, 'please');
    const heading = page.locator('parley-widget header');
    const copy = async () => {
      await press(page, 'More');
      await press(page, 'Copy the conversation');
    };
    await copy();
    await heading.getByText('Copied', { exact: true }).first().waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toMatch(
      /^(Agent: Welcome to the shop\.\n\n)?You: please\n\n[\s\S]*Agent: please$/,
    );
    await page.evaluate(() => {
      navigator.clipboard.writeText = () => Promise.reject(new Error('the page is in a frame'));
      document.execCommand = () => false;
    });
    await copy();
    await heading.getByText('Copying did not work').first().waitFor();
    await page.context().close();
  });

  test('on a phone the field stays above the keyboard', async () => {
    const page = await visit('shop', { viewport: { width: 360, height: 700 } }, (fresh) =>
      // No browser without a screen has a keyboard on it: what it tells the page stands in for it.
      fresh.addInitScript(() => {
        const view = Object.assign(new EventTarget(), {
          height: 700,
          width: 360,
          offsetTop: 0,
          offsetLeft: 0,
          scale: 1,
        });
        Object.defineProperty(window, 'visualViewport', { value: view });
        document.addEventListener('keyboard', () => {
          view.height = 400;
          view.dispatchEvent(new Event('resize'));
        });
      }),
    );
    await field(page).waitFor();
    const bottom = async () => {
      const box = await page.locator('parley-widget .composer').boundingBox();
      return box ? box.y + box.height : Number.NaN;
    };
    expect(await bottom()).toBeGreaterThan(600);
    await page.evaluate(() => document.dispatchEvent(new Event('keyboard')));
    await eventually('it is above it', async () => (await bottom()) <= 400);
    await page.context().close();
  });

  test('whoever has to show hCaptcha that they are a person does so with their first word, by keyboard', async () => {
    const page = await visit('guarded-hcaptcha', {}, (fresh) =>
      fresh.route('https://js.hcaptcha.com/**', (route) =>
        route.fulfill({ contentType: 'text/javascript', body: challenges.scriptOf('hcaptcha') }),
      ),
    );
    await say(page, 'first word');
    const box = page.getByRole('button', { name: 'I am a person (10000000-ffff-ffff-ffff-000000000001)' });
    await box.waitFor();
    for (let presses = 0; presses < 20 && !(await box.evaluate((it) => it.matches(':focus'))); presses += 1)
      await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await hears(page, 'first word');
    expect(challenges.verdicts).toEqual(['passed']);
    expect(challenges.siteKeys).toEqual(['10000000-ffff-ffff-ffff-000000000001']);
    await page.context().close();
  });

  test('what went wrong is mended by keyboard: tried again, and gone on with in the tab that was left', async () => {
    let isAway = true;
    const away = (page: Page) =>
      page.route('**/api/sessions', (route) =>
        isAway ? route.fulfill({ status: 429, json: { code: 'rate_limited', message: 'x' } }) : route.continue(),
      );
    const first = await visit('shop', {}, away);
    const reach = async (page: Page, name: string) => {
      const button = page.locator('parley-widget').getByRole('button', { name, exact: true });
      await button.waitFor({ timeout: 60_000 });
      for (let presses = 0; presses < 30 && !(await button.evaluate((it) => it.matches(':focus'))); presses += 1)
        await page.keyboard.press('Tab');
      await page.keyboard.press('Enter');
    };
    await say(first, 'from the first tab');
    // It tries by itself first.
    await first.locator('parley-widget').getByRole('button', { name: 'Try again' }).waitFor({ timeout: 90_000 });
    isAway = false;
    await reach(first, 'Try again');
    await hears(first, 'from the first tab');

    // As browsers copy what a tab remembers into one that is duplicated.
    const remembered = await eventually('the tab remembers all of it', async () => {
      const kept = await first.evaluate(() => JSON.stringify({ ...sessionStorage }));
      return kept.split('from the first tab').length > 2 && kept;
    });
    const second = await first.context().newPage();
    await second.addInitScript((kept) => {
      for (const [name, value] of Object.entries(JSON.parse(kept) as Record<string, string>))
        sessionStorage.setItem(name, value);
    }, remembered);
    await second.goto(first.url());
    // What a page shows is looked at in its frames, and a tab in the background draws none.
    await first.bringToFront();
    await first.getByText('This conversation goes on in another tab.').first().waitFor();
    await reach(first, 'Continue here');
    await say(first, 'back in the first tab');
    await hears(first, 'back in the first tab');
    await second.bringToFront();
    await second.getByText('This conversation goes on in another tab.').first().waitFor();
    await first.context().close();
  });
});
