import { join } from 'node:path';
import type { Browser, BrowserContextOptions, FrameLocator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildWidget } from '../../../scripts/build-widget.ts';
import { eventually } from '../../support/eventually.ts';
import { startWorld, type World } from '../../support/world/world.ts';
import { openBrowser, openContext } from '../chromium.ts';
import { folderWith, prototypeJs, textOf } from './foreign.ts';
import { type Site, shop, startSite, tag } from './site.ts';

/** `npm run soak -- widget`: pages as they are out there, each with the widget on it. Too many for every `npm test`. */
describe('on a page that', () => {
  let world: World;
  let browser: Browser;
  let site: Site;
  let keys: { shop: string; members: string; other: string };
  let libraries: string;

  beforeAll(async () => {
    await buildWidget();
    libraries = await folderWith('widget-pages', { 'zone.js': '0.16.3', 'core-js-bundle': '3.50.0' });
    [browser, site] = await Promise.all([openBrowser(), startSite()]);
    world = await startWorld({ workers: 0, agents: join(import.meta.dirname, 'agents') });
    const keyOf = async (agent: string) => (await world.credentials(agent)).apiKey;
    keys = { shop: await keyOf('shop'), members: await keyOf('members'), other: await keyOf('members-later') };
  });

  afterAll(async () => {
    await browser?.close();
    await site?.[Symbol.asyncDispose]();
    await world?.[Symbol.asyncDispose]();
  });

  const ourTag = (more = '', key = keys.shop) => tag({ service: world.baseUrl, key, more });

  async function visit(address: string, options: BrowserContextOptions = {}) {
    const page = await (await openContext(browser, options)).newPage();
    const complaints: string[] = [];
    page.on('pageerror', (error) => complaints.push(error.message));
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
    });
    await page.goto(address);
    return { page, complaints };
  }

  /** The button is where a finger meets it, and a conversation can be held. */
  async function works(page: Page | FrameLocator, text = 'does it work'): Promise<void> {
    await page.locator('parley-widget .launcher').click();
    const field = page.locator('parley-widget textarea');
    await field.fill(text);
    await field.press('Enter');
    await page.locator('parley-widget .said.agent[aria-busy=false]', { hasText: text }).waitFor();
  }

  const script = (text: string) => `<script src="${site.script(text)}"></script>`;

  const bare =
    (head: string, body = '') =>
    async () => ({ html: shop({ head: head + ourTag(), body }) });
  type Made = () => Promise<{ html: string; headers?: Record<string, string> }>;
  const pages: [string, Made][] = [
    [
      'has zone.js',
      async () => ({ html: shop({ head: script(await textOf(libraries, 'zone.js/bundles/zone.umd.js')) + ourTag() }) }),
    ],
    [
      'has core-js',
      async () => ({ html: shop({ head: script(await textOf(libraries, 'core-js-bundle/minified.js')) + ourTag() }) }),
    ],
    [
      'wraps fetch',
      async () => ({
        html: shop({
          head:
            script(
              'const real = window.fetch; window.fetch = function (input, init) { return real.call(this, input, init).then((r) => r); };',
            ) + ourTag(),
        }),
      }),
    ],
    [
      'unsets everything',
      async () => ({ html: shop({ head: `<style>* { all: unset !important }</style>${ourTag()}` }) }),
    ],
    [
      'unsets everything, politely',
      async () => ({ html: shop({ head: `<style>* { all: unset }</style>${ourTag()}` }) }),
    ],
    [
      'styles every element',
      async () => ({
        html: shop({
          head: `<style>* { position: static !important; color: red !important; font-size: 60px !important; letter-spacing: 9px }
        button, textarea, div { display: none !important; width: 1px !important }</style>${ourTag()}`,
        }),
      }),
    ],
    [
      'makes its letters small, and turns its body',
      async () => ({
        html: shop({
          head: `<style>html { font-size: 2px } body { transform: scale(0.5) rotate(3deg); filter: blur(0) }</style>${ourTag()}`,
        }),
      }),
    ],
    [
      'stacks above everything',
      async () => ({
        html: shop({
          head: ourTag(),
          body: '<div style="position:fixed;inset:0;z-index:2147483647;background:#0008"></div>',
        }),
      }),
    ],
    [
      'has nonces and strict-dynamic',
      async () => ({
        html: shop({ head: ourTag('nonce="n1"') }).replace('<style>', '<style nonce="n1">'),
        headers: {
          'Content-Security-Policy': `script-src 'nonce-n1' 'strict-dynamic'; style-src 'nonce-n1'; object-src 'none'; base-uri 'none'; require-trusted-types-for 'script'`,
        },
      }),
    ],
    [
      'is isolated from other origins',
      async () => ({
        html: shop({ head: ourTag('crossorigin') }),
        headers: { 'Cross-Origin-Embedder-Policy': 'require-corp', 'Cross-Origin-Opener-Policy': 'same-origin' },
      }),
    ],
    ['has the tag at its end', async () => ({ html: shop({ body: ourTag() }) })],
    [
      'writes the tag by a script',
      async () => ({
        html: shop({
          body: `<script>const s = document.createElement('script'); s.src = '${world.baseUrl}/widget/v1/widget.js'; s.dataset.agentKey = '${keys.shop}'; document.head.append(s);</script>`,
        }),
      }),
    ],
    [
      'is written from right to left',
      async () => ({ html: shop({ head: ourTag() }).replace('<html lang="en">', '<html lang="ar" dir="rtl">') }),
    ],
    ['has quirks', async () => ({ html: shop({ head: ourTag() }).replace('<!doctype html>', '') })],
  ];

  test.for(pages)('%s', async ([, make]) => {
    const { html, headers } = await make();
    const { page, complaints } = await visit(site.page(html, headers));
    await works(page);
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  test('is another one after it navigates: a single-page application that replaces its body', async () => {
    const { page, complaints } = await visit(site.page((await bare('')()).html));
    await works(page);
    await page.evaluate(() => {
      history.pushState({}, '', '/another');
      const body = document.createElement('body');
      body.innerHTML = '<main><h1>Another page</h1></main>';
      document.body.replaceWith(body);
    });
    const field = page.locator('parley-widget textarea');
    await field.fill('still here');
    await field.press('Enter');
    await page.locator('parley-widget .said.agent[aria-busy=false]', { hasText: 'still here' }).waitFor();
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  test('draws the element that holds it anew', async () => {
    const holder = '<div id="app"><div class="chat" style="height:500px"></div></div>';
    const { page, complaints } = await visit(site.page(shop({ head: ourTag('data-target=".chat"'), body: holder })));
    await page.locator('.chat parley-widget textarea').waitFor();
    await page.evaluate(() => {
      const app = document.querySelector('#app');
      if (app) app.innerHTML = '<section class="chat" style="height:500px"></section>';
    });
    await page.locator('section.chat parley-widget textarea').fill('again');
    await page.locator('section.chat parley-widget textarea').press('Enter');
    await page.locator('parley-widget .said.agent[aria-busy=false]', { hasText: 'again' }).waitFor();
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  test('is in an iframe of another page', async () => {
    const inner = site.page((await bare('')()).html);
    const outer = site.page(
      shop({ body: `<iframe src="${inner}" style="width:500px;height:700px" allow="microphone; autoplay"></iframe>` }),
    );
    const { page, complaints } = await visit(outer, { viewport: { width: 1000, height: 1200 } });
    const frame = page.frameLocator('iframe');
    await works(frame);
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  test('has two agents, one of which may not be used here, and the tag of the other twice: one button is left', async () => {
    const second = ourTag('data-position="bottom-left"', keys.members);
    const { page } = await visit(site.page(shop({ head: ourTag() + ourTag() + second })));
    await eventually('the other is gone', async () => (await page.locator('parley-widget').count()) === 1);
    await page.getByRole('button', { name: 'Open chat: Ask the shop' }).waitFor();
    await works(page);
    await page.context().close();
  });

  test('has two agents: each has its button, its window and its conversation', async () => {
    const second = ourTag('data-position="bottom-left"', keys.other);
    const { page, complaints } = await visit(site.page(shop({ head: ourTag() + second })));
    const words = ['to the one', 'to the other'] as const;
    await page.locator('parley-widget').nth(1).waitFor({ state: 'attached' });
    for (const side of ['right', 'left']) {
      const widget = page.locator(`parley-widget[data-side=${side}]`);
      const text = words[side === 'right' ? 0 : 1];
      await widget.locator('.launcher').click();
      await widget.locator('textarea').fill(text);
      await widget.locator('textarea').press('Enter');
      await widget.locator('.said.agent[aria-busy=false]', { hasText: text }).waitFor();
    }
    const [right, left] = await page.locator('parley-widget .transcript').allTextContents();
    expect([right?.includes(words[1]), left?.includes(words[0])]).toEqual([false, false]);
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  test('has Prototype.js, whose Array.from knows no Set: the button stays away without an error', async () => {
    const { page, complaints } = await visit(site.page(shop({ head: script(await prototypeJs()) + ourTag() })));
    await page.waitForLoadState('networkidle');
    expect(await page.locator('parley-widget').count()).toBe(0);
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  test('breaks what the language gives: the button stays away without an error', async () => {
    // As Prototype.js 1.6 does.
    const prototype = `Array.prototype.toJSON = function () { return Object.toJSON ? Object.toJSON(this) : '[' + this.join(',') + ']'; };
      Array.from = function (list) { return [].concat.apply([], list); };`;
    const { page, complaints } = await visit(site.page(shop({ head: script(prototype) + ourTag() })));
    await page.waitForLoadState('networkidle');
    expect(await page.locator('parley-widget').count()).toBe(0);
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  test('says what is not allowed: one warning that names what is', async () => {
    const { page, complaints } = await visit(
      site.page(shop({ head: ourTag('data-mode="video" data-color="blue" data-language="ja"') })),
    );
    await works(page);
    expect(complaints).toEqual([
      'Parley widget: the defaults stand in for data-mode="video" (allowed: text, voice, both); data-color="blue" (allowed: a colour such as #1f5fbf)',
      'Parley widget: the agent does not speak "ja" (allowed: en, de, ar); "en" is used.',
    ]);
    await page.context().close();
  });

  test('loses its connection for five seconds, and its agent host', async () => {
    const { page } = await visit(site.page((await bare('')()).html));
    await works(page);
    await page.context().setOffline(true);
    const field = page.locator('parley-widget textarea');
    await field.fill('written while away');
    await field.press('Enter');
    await page.getByText('Connection lost. Reconnecting…').first().waitFor();
    await page.waitForTimeout(5_000);
    await page.context().setOffline(false);
    await page.locator('parley-widget .said.agent[aria-busy=false]', { hasText: 'written while away' }).waitFor();

    const id = await page.evaluate(() => {
      const name = Object.keys(sessionStorage).find((key) => key.startsWith('parley.session.')) ?? '';
      return (JSON.parse(sessionStorage.getItem(name) ?? '{}') as { sessionId: string }).sessionId;
    });
    const host = await world.hostOf(id);
    await world.startHost();
    await host.kill();
    await field.fill('are you back');
    await field.press('Enter');
    await page.locator('parley-widget .said.agent[aria-busy=false]', { hasText: 'are you back' }).waitFor();
    await page.context().close();
  });
});
