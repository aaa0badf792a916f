import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildWidget } from '../../../scripts/build-widget.ts';
import { eventually } from '../../support/eventually.ts';
import { joined, silence, spoken, wavOf } from '../../support/people/speech-sound.ts';
import { localSpeechVariables } from '../../support/world/local-speech.ts';
import { startWorld, type World } from '../../support/world/world.ts';
import { axeFindings } from '../accessibility.ts';
import { openBrowser, openContext } from '../chromium.ts';
import { type Site, shop, startSite, tag } from './site.ts';

/** `npm run soak -- widget`: spoken with, by a microphone that plays a file. */
describe('the widget that is spoken with', () => {
  let world: World;
  let browser: Browser;
  let site: Site;
  let folder: string;
  let key: string;

  beforeAll(async () => {
    await buildWidget();
    folder = await mkdtemp(join(tmpdir(), 'parley-microphone-'));
    const microphone = join(folder, 'microphone.wav');
    const once = joined(silence(6_000), await spoken('thank you'), silence(12_000));
    // A person who was not heard, because nobody listened yet, says it once more.
    await writeFile(microphone, wavOf(joined(once, once, once)));
    [browser, site] = await Promise.all([openBrowser({ microphone }), startSite()]);
    world = await startWorld({
      workers: 0,
      agents: join(import.meta.dirname, 'agents'),
      env: await localSpeechVariables(),
    });
    key = (await world.credentials('shop')).apiKey;
  });

  afterAll(async () => {
    await browser?.close();
    await site?.[Symbol.asyncDispose]();
    await world?.[Symbol.asyncDispose]();
    await rm(folder, { recursive: true, force: true });
  });

  const button = (page: Page, name: string) => page.locator('parley-widget').getByRole('button', { name, exact: true });
  const replies = (page: Page) => page.locator('parley-widget .said.agent[aria-busy=false]');

  test('a person speaks, is heard and answered aloud; goes back to writing, and speaks again', async () => {
    const page = await (await openContext(browser)).newPage();
    const complaints: string[] = [];
    page.on('pageerror', (error) => complaints.push(error.message));
    await page.goto(site.page(shop({ head: tag({ service: world.baseUrl, key, more: 'data-open' }) })));
    await button(page, 'Speak').click();
    await button(page, 'Mute').waitFor();
    await replies(page).filter({ hasText: 'Welcome to the shop.' }).waitFor();
    await page.locator('parley-widget .said.person', { hasText: 'thank you' }).first().waitFor({ timeout: 90_000 });
    await replies(page).filter({ hasText: 'thank you' }).first().waitFor();
    expect(await axeFindings(page)).toEqual([]);

    await button(page, 'Mute').click();
    await button(page, 'Unmute').waitFor();
    await button(page, 'Write instead').click();
    await eventually('the microphone is given back', async () => (await button(page, 'Mute').count()) === 0);
    const field = page.locator('parley-widget textarea');
    await field.fill('in writing now');
    await field.press('Enter');
    await replies(page).filter({ hasText: 'in writing now' }).waitFor();
    const sounds = () => page.locator('audio').count();
    await eventually('nothing of it is heard', async () => (await sounds()) <= 1);

    await button(page, 'Speak').click();
    await button(page, 'Mute').waitFor();
    await eventually('the agent says that it is spoken', () =>
      page
        .locator('parley-widget .voice[data-activity=listening]')
        .count()
        .then((count) => count > 0),
    );
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  test('a microphone that is refused is explained, and writing goes on', async () => {
    const context = await openContext(browser);
    const page = await context.newPage();
    await page.addInitScript(() => {
      navigator.mediaDevices.getUserMedia = () => Promise.reject(new DOMException('no', 'NotAllowedError'));
    });
    await page.goto(site.page(shop({ head: tag({ service: world.baseUrl, key, more: 'data-open' }) })));
    await button(page, 'Speak').click();
    await page.getByText('The microphone is blocked.').first().waitFor();
    await button(page, 'Try again').waitFor();
    expect(await axeFindings(page)).toEqual([]);
    const field = page.locator('parley-widget textarea');
    await field.fill('then in writing');
    await field.press('Enter');
    await replies(page).filter({ hasText: 'then in writing' }).waitFor();
    await context.close();
  });

  test('of two tabs one speaks', async () => {
    const context = await openContext(browser);
    const [first, second] = [await context.newPage(), await context.newPage()];
    for (const page of [first, second]) {
      await page.goto(site.page(shop({ head: tag({ service: world.baseUrl, key, more: 'data-open' }) })));
      await button(page, 'Speak').click();
      await button(page, 'Mute').waitFor();
    }
    await first.getByText('You are speaking in another tab').first().waitFor();
    expect(await button(first, 'Mute').count()).toBe(0);
    expect(await button(second, 'Mute').count()).toBe(1);
    await context.close();
  });

  test('another microphone and another speaker are chosen by name, by keyboard alone, as is everything else', async () => {
    const context = await openContext(browser);
    const page = await context.newPage();
    // What the browser is asked for: which microphone, and where the agent is heard.
    await page.addInitScript(() => {
      const used: string[] = [];
      const { mediaDevices } = navigator;
      const ask = mediaDevices.getUserMedia.bind(mediaDevices);
      mediaDevices.getUserMedia = (wanted) => {
        used.push(`Microphone ${JSON.stringify((wanted?.audio as MediaTrackConstraints | undefined)?.deviceId)}`);
        return ask(wanted);
      };
      const play = HTMLMediaElement.prototype.setSinkId;
      HTMLMediaElement.prototype.setSinkId = function (id) {
        used.push(`Speaker ${JSON.stringify(id)}`);
        return play.call(this, id);
      };
      Object.assign(window, { used });
    });
    const isUsed = (what: string) =>
      page.evaluate((one) => {
        const { used } = window as unknown as { used: string[] };
        return used.some((line) => line.startsWith(one.split('"')[0] ?? '') && line.includes(one.split('"')[1] ?? '?'));
      }, what);
    await page.goto(
      site.page(shop({ head: tag({ service: world.baseUrl, key, more: 'data-consent="May we talk?"' }) })),
    );
    const focused = () =>
      page.evaluate(() => {
        const now = document.querySelector('parley-widget')?.shadowRoot?.activeElement;
        return now?.getAttribute('aria-label') ?? now?.textContent?.trim() ?? '';
      });
    const tabTo = async (name: string) => {
      for (let presses = 0; presses < 30 && !(await focused()).startsWith(name); presses += 1)
        await page.keyboard.press('Tab');
      expect(await focused()).toMatch(new RegExp(`^${name}`));
    };
    const use = async (name: string) => {
      await tabTo(name);
      await page.keyboard.press('Enter');
    };
    await page.locator('parley-widget .launcher').waitFor();
    await tabTo('Open chat');
    await page.keyboard.press('Enter');
    await button(page, 'I agree').waitFor();
    await use('I agree');
    await use('Speak');
    await button(page, 'Mute').waitFor();
    const chosen = new Map<string, string>();
    const listOf = (name: string) => page.locator('parley-widget').getByRole('combobox', { name, exact: true });
    for (const name of ['Microphone', 'Speaker']) {
      const list = listOf(name);
      await eventually(`${name}: there is a choice`, async () => (await list.locator('option').count()) > 1);
      const before = await list.inputValue();
      await tabTo(name);
      await page.keyboard.press('ArrowDown');
      await eventually(`${name}: another one is chosen`, async () => (await list.inputValue()) !== before);
      chosen.set(name, await list.inputValue());
      await eventually(`${name}: it is used`, () => isUsed(`${name} "${chosen.get(name)}"`));
    }
    await use('Mute');
    await use('Unmute');
    await use('Write instead');
    await use('Speak');
    await eventually('what was chosen is taken again', async () => (await listOf('Microphone').count()) === 1);
    for (const [name, device] of chosen) expect(await listOf(name).inputValue()).toBe(device);
    await use('Write instead');
    await use('Write a message');
    await page.keyboard.type('[a page](https://example.org)');
    await use('Send');
    await replies(page).filter({ hasText: 'a page' }).waitFor();
    await tabTo('a page');
    await use('More');
    await use('Copy the conversation');
    await use('More');
    await use('Say goodbye');
    await use('New conversation');
    await use('Close chat');
    await tabTo('Open chat');
    await context.close();
  });

  test('sound that the browser refuses is explained, and comes with one press', async () => {
    const page = await (await openContext(browser)).newPage();
    const told = (what: string) =>
      page.waitForEvent('console', { predicate: (line) => line.text() === `told: ${what}` });
    const isSettled = Promise.all([told('autoplay_blocked'), told('microphone on')]);
    // The page speaks by itself, before anybody has touched it. Nothing is looked up in it meanwhile: that would count as a touch.
    const speaks = `<script>
      document.addEventListener('parley:ready', (event) => {
        event.target.addEventListener('parley:error', ({ detail }) => console.log('told: ' + detail.code));
        event.target.addEventListener('parley:state', ({ detail }) => console.log('told: microphone ' + detail.microphone));
        event.target.speak();
      });</script>`;
    await page.goto(site.page(shop({ head: speaks + tag({ service: world.baseUrl, key, more: 'data-open' }) })));
    await isSettled;
    await page.getByText('Your browser has muted this page.').first().waitFor();
    expect(await axeFindings(page)).toEqual([]);
    await button(page, 'Turn the sound on').click();
    await page.getByText('Your browser has muted this page.').first().waitFor({ state: 'detached' });
    const plays = () =>
      page.locator('audio').evaluateAll((all) => all.some((audio) => !(audio as HTMLAudioElement).paused));
    await eventually('the agent is heard', plays);
    await page.context().close();
  });

  test('the host dies while they speak: another one takes over, and the person is heard again', async () => {
    const page = await (await openContext(browser)).newPage();
    await page.goto(site.page(shop({ head: tag({ service: world.baseUrl, key, more: 'data-open' }) })));
    await button(page, 'Speak').click();
    await page.locator('parley-widget .said.person').first().waitFor({ timeout: 90_000 });
    const id = await page.evaluate(() => {
      const name = Object.keys(sessionStorage).find((one) => one.startsWith('parley.session.')) ?? '';
      return (JSON.parse(sessionStorage.getItem(name) ?? '{}') as { sessionId: string }).sessionId;
    });
    const host = await world.hostOf(id);
    await world.startHost();
    const before = await page.locator('parley-widget .said.person').count();
    await host.kill();
    await page.locator('parley-widget .said.person').nth(before).waitFor({ timeout: 90_000 });
    await eventually('it is answered', async () => (await replies(page).filter({ hasText: 'thank you' }).count()) > 1);
    expect(await button(page, 'Mute').count()).toBe(1);
    expect((await world.hostOf(id)).pid).not.toBe(host.pid);
    await page.context().close();
  });
});

/** One place for a spoken conversation, and two who want it. */
describe('where one conversation at a time can be spoken', () => {
  test('the other is told and goes on in writing, as often as it asks', async () => {
    await buildWidget();
    const folder = await mkdtemp(join(tmpdir(), 'parley-microphone-'));
    const microphone = join(folder, 'microphone.wav');
    await writeFile(microphone, wavOf(silence(60_000)));
    await using site = await startSite();
    await using world = await startWorld({
      ...{ workers: 0, agents: join(import.meta.dirname, 'agents') },
      settings: { voiceCapacity: 1 },
      env: await localSpeechVariables(),
    });
    const browser = await openBrowser({ microphone });
    const { apiKey } = await world.credentials('shop');
    const visit = async () => {
      const page = await (await openContext(browser)).newPage();
      await page.goto(site.page(shop({ head: tag({ service: world.baseUrl, key: apiKey, more: 'data-open' }) })));
      const button = (name: string) => page.locator('parley-widget').getByRole('button', { name, exact: true });
      const refused = page.getByText('Speaking is not possible at the moment. Please write.').first();
      const write = async (text: string) => {
        await page.locator('parley-widget textarea').fill(text);
        await page.locator('parley-widget textarea').press('Enter');
        await page.locator('parley-widget .said.agent[aria-busy=false]', { hasText: text }).waitFor();
      };
      return { page, button, refused, write };
    };
    const first = await visit();
    await first.button('Speak').click();
    await first.button('Mute').waitFor();
    const second = await visit();
    await second.write('begun in writing');
    for (const text of ['gone on in writing', 'and once more']) {
      await second.button('Speak').click();
      await second.refused.waitFor();
      await second.button('Speak').waitFor();
      await second.write(text);
      // What is written takes the sentence away: the next one is of another refusal.
      await second.refused.waitFor({ state: 'detached' });
    }
    await browser.close();
    await rm(folder, { recursive: true, force: true });
  });
});
