import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Browser, BrowserContextOptions, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildWidget } from '../../../scripts/build-widget.ts';
import { sql } from '../../../services/store/sql.ts';
import { eventually } from '../../support/eventually.ts';
import { type ChallengeProvider, startChallengeProvider } from '../../support/stand-ins/challenge-provider.ts';
import { startWorld, type World } from '../../support/world/world.ts';
import { axeFindings } from '../accessibility.ts';
import { openBrowser, openContext } from '../chromium.ts';
import { type Site, shop, startSite, tag } from './site.ts';

let world: World;
let browser: Browser;
let site: Site;
let challenges: ChallengeProvider;
let keys: { shop: string; members: string; guarded: string };

beforeAll(async () => {
  await buildWidget();
  [browser, site, challenges] = await Promise.all([openBrowser(), startSite(), startChallengeProvider()]);
  world = await startWorld({
    agents: join(import.meta.dirname, 'agents'),
    settings: { challenges: { turnstile: challenges.secret, verifyAt: challenges.url } },
  });
  const keyOf = async (agent: string) => (await world.credentials(agent)).apiKey;
  keys = { shop: await keyOf('shop'), members: await keyOf('members'), guarded: await keyOf('guarded') };
});

afterAll(async () => {
  await browser?.close();
  await site?.[Symbol.asyncDispose]();
  await challenges?.[Symbol.asyncDispose]();
  await world?.[Symbol.asyncDispose]();
});

interface Visit {
  page: Page;
  /** What the browser complained about. */
  complaints: string[];
  /** What was asked of the service. */
  asked: string[];
}

interface Guise extends BrowserContextOptions {
  headers?: Record<string, string>;
  before?(page: Page): Promise<unknown>;
}

async function visit(html: string, { headers = {}, before, ...options }: Guise = {}): Promise<Visit> {
  const page = await (await openContext(browser, options)).newPage();
  const complaints: string[] = [];
  const asked: string[] = [];
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
  });
  page.on('request', (request) => {
    if (request.url().startsWith(world.baseUrl)) asked.push(request.url().slice(world.baseUrl.length));
  });
  await before?.(page);
  await page.goto(site.page(html, headers));
  return { page, complaints, asked };
}

const ourTag = (more = '', key = keys.shop) => tag({ service: world.baseUrl, key, more });
const launcher = (page: Page): Locator => page.getByRole('button', { name: 'Open chat: Ask the shop' });
const panel = (page: Page): Locator => page.getByRole('dialog', { name: 'Ask the shop' });
const field = (page: Page): Locator => page.getByRole('textbox', { name: 'Write a message…' });
const replies = (page: Page): Locator => page.locator('parley-widget .said.agent[aria-busy=false]');
const hears = (page: Page, text: string) => replies(page).filter({ hasText: text }).last().waitFor();

async function say(page: Page, text: string): Promise<void> {
  await field(page).fill(text);
  await field(page).press('Enter');
}

async function sessionOf(
  page: Page,
): Promise<{ id: string; channel: string; status: string; end_reason: string | null }> {
  const id = await page.evaluate(() => {
    const name = Object.keys(sessionStorage).find((key) => key.startsWith('parley.session.')) ?? '';
    return (JSON.parse(sessionStorage.getItem(name) ?? '{}') as { sessionId?: string }).sessionId ?? null;
  });
  return sessionById(id);
}

async function sessionById(id: string | null) {
  const [row] = await world.admin.query<{ id: string; channel: string; status: string; end_reason: string | null }>(
    sql`select id, channel, status, end_reason from sessions where id = ${id}`,
  );
  if (!row) throw new Error(`no session ${id}`);
  return row;
}

describe('its files', () => {
  const get = (path: string, headers: Record<string, string> = {}) => fetch(`${world.baseUrl}${path}`, { headers });

  test('are for every origin, compressed, and kept: the loader for minutes, what it loads for ever', async () => {
    const loader = await get('/widget.js', { 'accept-encoding': 'br' });
    const text = await loader.text();
    const named = /app-[\w-]{8}\.js/.exec(text)?.[0];
    const app = await get(`/widget/${named}`);
    const kept = ({ headers }: Response) => [headers.get('cache-control'), headers.get('cross-origin-resource-policy')];
    expect(kept(loader)).toEqual(['public, max-age=600, stale-while-revalidate=86400', 'cross-origin']);
    expect(kept(app)).toEqual(['public, max-age=31536000, immutable', 'cross-origin']);
    expect(app.headers.get('access-control-allow-origin')).toBe('*');
    expect(loader.headers.get('content-encoding')).toBe('br');
    expect(gzipSync(text, { level: 9 }).length).toBeLessThanOrEqual(5_000);

    const again = await get('/widget.js', { 'if-none-match': loader.headers.get('etag') ?? '' });
    expect(again.status).toBe(304);
    expect(await (await get('/widget/v1/widget.js')).text()).toBe(text);
    expect(await (await get('/widget/app.js')).text()).toContain(named);
    for (const path of ['/widget/app-00000000.js', '/widget/.built-from', '/widget/..%2f..%2fpackage.json'])
      expect((await get(path)).status).toBe(404);
    expect((await fetch(`${world.baseUrl}/widget.js`, { method: 'POST' })).status).toBe(405);
  });
});

describe('the widget on a page of another origin', () => {
  test('a person opens it, writes and is answered; loads the page again and goes on; ends it and begins another', async () => {
    const { page, complaints, asked } = await visit(shop({ head: ourTag() }));
    await launcher(page).waitFor();
    expect(asked).toEqual(['/widget.js', '/api/sessions/languages']);
    await launcher(page).click();
    await panel(page).getByText('What can we do for you?').waitFor();
    expect(asked.filter((path) => path === '/api/sessions')).toEqual([]);
    await say(page, 'good morning');
    await hears(page, 'Welcome to the shop.');
    await hears(page, 'good morning');
    expect(await axeFindings(page)).toEqual([]);

    const before = await eventually('the tab remembers it', () => sessionOf(page));
    expect(before).toMatchObject({ channel: 'widget', status: 'running' });
    // Whatever Playwright looks up in a page counts as the person's touch: nothing is, until the page is in its room again.
    const inRoom = page.waitForEvent('websocket', { predicate: (socket) => socket.url().startsWith(world.rooms.url) });
    await page.reload();
    await inRoom;
    await panel(page).waitFor();
    await hears(page, 'good morning');
    await say(page, 'still there');
    await hears(page, 'still there');
    expect(await sessionOf(page)).toEqual(before);

    await page.getByRole('button', { name: 'More' }).click();
    await page.getByRole('button', { name: 'Say goodbye' }).click();
    await page.getByRole('button', { name: 'New conversation' }).click();
    expect(await sessionById(before.id)).toMatchObject({ status: 'ended', end_reason: 'client_ended' });
    await say(page, 'once more');
    await hears(page, 'once more');
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  test('a tab that is closed ends nothing by itself: the person may come back, and then the grace ends it', async () => {
    const { page } = await visit(shop({ head: ourTag('data-open') }));
    await say(page, 'hello');
    await hears(page, 'hello');
    const { id } = await eventually('the tab remembers it', () => sessionOf(page));
    await page.context().close();
    const ended = await eventually('it has ended', async () => {
      const session = await sessionById(id);
      return session.status === 'ended' && session;
    });
    expect(ended.end_reason).toBe('participant_left');
  });

  test('what a reply holds is text: nothing of it runs, is loaded, or leads to where it does not say', async () => {
    const { page, complaints } = await visit(shop({ head: ourTag('data-open') }));
    const outside: string[] = [];
    page.on('request', (request) => {
      if (request.url().includes('evil')) outside.push(request.url());
    });
    const hostile = [
      '<img src=//evil.example/x onerror="parent.document.title=1"><script>document.title="1"</script><iframe src=//evil.example>',
      '![pixel](https://evil.example/pixel.gif)',
      '[press](javascript:document.title=1) [press](data:text/html,<script>1</script>) [press](vbscript:x)',
      '[bank.example](https://evil.example/login)',
      '\u202Egpj.exe\u202C https://example.org/\u202Eelpmaxe',
      'averylongword'.repeat(500),
    ];
    for (const text of hostile) await say(page, text);
    await hears(page, 'averylongword'.repeat(20));
    const links = await replies(page)
      .locator('a')
      .evaluateAll((all) =>
        all.map((link) => [link.textContent, (link as HTMLAnchorElement).href, link.getAttribute('rel')]),
      );
    expect(links).toEqual([
      ['pixel', 'https://evil.example/pixel.gif', 'noopener noreferrer nofollow'],
      ['bank.example (evil.example)', 'https://evil.example/login', 'noopener noreferrer nofollow'],
      ['https://example.org/elpmaxe', 'https://example.org/elpmaxe', 'noopener noreferrer nofollow'],
    ]);
    expect(await replies(page).locator('img, script, iframe').count()).toBe(0);
    expect(await page.title()).toBe('Corner shop');
    expect(outside).toEqual([]);
    const wider = await page.locator('parley-widget .transcript').evaluate((box) => box.scrollWidth > box.clientWidth);
    expect(wider).toBe(false);
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  test('a page with a strict policy and Trusted Types, and the tag twice, has one widget and no complaint', async () => {
    const rooms = world.rooms.url;
    const policy = [
      "default-src 'none'",
      `script-src ${world.baseUrl}`,
      `connect-src ${world.baseUrl} ${rooms} ${rooms.replace(/^ws/, 'http')}`,
      "style-src 'nonce-page'",
      "require-trusted-types-for 'script'",
      "trusted-types 'none'",
    ].join('; ');
    const html = shop({ head: ourTag() + ourTag() }).replace('<style>', '<style nonce="page">');
    const { page, complaints } = await visit(html, { headers: { 'Content-Security-Policy': policy } });
    await launcher(page).click();
    await say(page, 'under a policy');
    await hears(page, 'under a policy');
    expect(await page.locator('parley-widget').count()).toBe(1);
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  test('without an interface a page has methods, events and tools of its own', async () => {
    const { page, complaints } = await visit(shop({ head: ourTag('data-headless') }));
    const told = await page.evaluate(async () => {
      type Parley = HTMLElement & {
        send(text: string): Promise<void>;
        end(): Promise<void>;
        registerTool(name: string, run: (args: { place?: string }) => unknown, options?: object): void;
      };
      const parley = await new Promise<Parley>((resolve) => {
        const found = document.querySelector<Parley>('parley-widget');
        if (found) resolve(found);
        document.addEventListener('parley:ready', (event) => resolve(event.target as Parley), { once: true });
      });
      const events: string[] = [];
      for (const name of ['parley:state', 'parley:message', 'parley:error', 'parley:ended'])
        parley.addEventListener(name, () => events.push(name));
      const said = (wanted: string) =>
        new Promise<void>((resolve) => {
          parley.addEventListener('parley:message', (event) => {
            const { from, text, final } = (event as CustomEvent<{ from: string; text: string; final: boolean }>).detail;
            if (from === 'agent' && final && text.includes(wanted)) resolve();
          });
        });
      parley.registerTool('show_place', ({ place }) => ({ shown: place }), { label: 'Showing the map' });
      const shown = said('Shown: Rome.');
      await parley.send('show Rome');
      await shown;
      const ended = new Promise<number>((resolve) => {
        parley.addEventListener('parley:ended', (event) =>
          resolve((event as CustomEvent<{ figures: { durationSeconds: number } }>).detail.figures.durationSeconds),
        );
      });
      await parley.end();
      return { events: [...new Set(events)].sort(), seconds: await ended, drawn: parley.shadowRoot !== null };
    });
    expect(told).toEqual({
      events: ['parley:ended', 'parley:message', 'parley:state'],
      seconds: expect.any(Number),
      drawn: false,
    });
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  test('where the agent may not be used nothing is shown, and one line says why', async () => {
    const { page, complaints } = await visit(shop({ head: ourTag('', keys.members) }));
    await eventually('it is said', () => complaints.some((line) => line.startsWith('Parley widget: no conversation')));
    expect(await page.locator('parley-widget').count()).toBe(0);
    await page.context().close();
  });

  test('a service that is away is told in words, tried again, and then answers', async () => {
    let isAway = true;
    const before = (page: Page) =>
      page.route('**/api/sessions', (route) =>
        isAway ? route.fulfill({ status: 503, json: { code: 'no_capacity', message: 'x' } }) : route.continue(),
      );
    const { page } = await visit(shop({ head: ourTag('data-open data-language="de"') }), { before });
    const written = page.getByRole('textbox', { name: 'Nachricht schreiben…' });
    await written.fill('guten Morgen');
    await written.press('Enter');
    await page.getByText('Im Moment sind alle beschäftigt. Neuer Versuch…').waitFor();
    isAway = false;
    await hears(page, 'guten Morgen');
    await page.context().close();
  });

  test('whoever has to show that they are a person is asked with their first word, and not before', async () => {
    const script = { contentType: 'text/javascript', body: challenges.scriptOf('turnstile') };
    const scripts: string[] = [];
    const { page, complaints } = await visit(shop({ head: ourTag('', keys.guarded) }), {
      before: (fresh) =>
        fresh.route('https://challenges.cloudflare.com/**', (route) => {
          scripts.push(route.request().url());
          return route.fulfill(script);
        }),
    });
    await launcher(page).click();
    await panel(page).waitFor();
    expect(scripts).toEqual([]);
    await say(page, 'first word');
    await page.getByRole('button', { name: 'I am a person (0x4AAA)' }).click();
    await hears(page, 'first word');
    await say(page, 'second word');
    await hears(page, 'second word');
    expect(scripts).toHaveLength(1);
    expect(challenges.verdicts).toEqual(['passed']);
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  test('a challenge that does not come is told, and may be tried again', async () => {
    let isBlocked = true;
    const { page } = await visit(shop({ head: ourTag('', keys.guarded) }), {
      before: (fresh) =>
        fresh.route('https://challenges.cloudflare.com/**', (route) =>
          isBlocked
            ? route.abort()
            : route.fulfill({ contentType: 'text/javascript', body: challenges.scriptOf('turnstile') }),
        ),
    });
    await launcher(page).waitFor();
    // The window is closed: what there is to solve, and to read, opens it.
    await page.evaluate(() => {
      const widget = document.querySelector('parley-widget') as unknown as { send(text: string): Promise<void> };
      void widget.send('kept word');
    });
    await page.getByText('It could not be verified that you are a person.').waitFor();
    isBlocked = false;
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('button', { name: 'I am a person (0x4AAA)' }).click();
    await hears(page, 'kept word');
    await page.context().close();
  });

  test('everything can be done by keyboard: opened, written, gone round in, left', async () => {
    const { page } = await visit(shop({ head: ourTag() }));
    await launcher(page).focus();
    await page.keyboard.press('Enter');
    await panel(page).waitFor();
    await eventually('the field has the focus', () => field(page).evaluate((area) => area.matches(':focus')));
    await page.keyboard.type('by keyboard');
    await page.keyboard.press('Enter');
    await hears(page, 'by keyboard');
    const seen = new Set<string>();
    for (let presses = 0; presses < 14; presses += 1) {
      await page.keyboard.press('Tab');
      seen.add(
        await page.evaluate(() => {
          const focused = document.querySelector('parley-widget')?.shadowRoot?.activeElement;
          return focused?.getAttribute('aria-label') ?? focused?.textContent ?? 'outside';
        }),
      );
    }
    expect([...seen].sort()).toEqual(['Close chat', 'Conversation', 'More', 'Send', 'Speak', 'Write a message…']);
    await page.keyboard.press('Escape');
    await panel(page).waitFor({ state: 'hidden' });
    expect(await launcher(page).evaluate((button) => button.matches(':focus'))).toBe(true);
    await page.context().close();
  });

  const guises = [
    {
      name: 'dark, from right to left, on a phone, in a colour that is hard to read on',
      ...{ colorScheme: 'dark' as const, reducedMotion: 'reduce' as const, locale: 'ar-EG' },
      ...{ viewport: { width: 360, height: 700 }, more: 'data-color="#ffd400"' },
    },
    ...(process.env.SOAK_WIDGET
      ? [
          { name: 'light, on a phone', viewport: { width: 360, height: 700 }, more: 'data-color="#ffd400"' },
          { name: 'dark', colorScheme: 'dark' as const, more: 'data-color="#1b1b1b"' },
          { name: 'from right to left', locale: 'ar-EG', more: 'data-position="bottom-left"' },
        ]
      : []),
  ];
  for (const { name, ...guise } of guises) {
    test(`it has no barriers: ${name}`, async () => {
      const { more, ...options } = guise;
      const { page, complaints } = await visit(shop({ head: ourTag(`data-open ${more}`) }), options);
      const written = page.locator('parley-widget textarea');
      await written.fill('[one](https://example.org) `two`\n- three');
      await written.press('Enter');
      await hears(page, 'three');
      await eventually('nothing moves', () => page.evaluate(() => document.getAnimations().length === 0));
      expect(await axeFindings(page)).toEqual([]);
      expect(complaints).toEqual([]);
      await page.context().close();
    });
  }
});
