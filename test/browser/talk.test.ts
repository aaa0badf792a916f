import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildPage } from '../../scripts/build-pages.ts';
import { sql } from '../../services/store/sql.ts';
import { eventually } from '../support/eventually.ts';
import { invitation, openPeople, password } from '../support/people/account.ts';
import { joined, silence, spoken, wavOf } from '../support/people/speech-sound.ts';
import { localSpeechVariables } from '../support/world/local-speech.ts';
import { peopleKeys } from '../support/world/master-keys.ts';
import { startWorld, type World } from '../support/world/world.ts';
import { barriersOn } from './accessibility.ts';
import { openBrowser, openContext } from './chromium.ts';

let world: World;
let browser: Browser;
let folder: string;

beforeAll(async () => {
  await Promise.all([buildPage('try'), buildPage('dashboard')]);
  folder = await mkdtemp(join(tmpdir(), 'parley-microphone-'));
  const microphone = join(folder, 'microphone.wav');
  // A person who was not heard, because nobody listened yet, says it once more.
  const once = joined(silence(5_000), await spoken('thank you'), silence(12_000));
  await writeFile(microphone, wavOf(joined(once, once)));
  [browser, world] = await Promise.all([
    openBrowser({ microphone }),
    startWorld({ workers: 0, env: await localSpeechVariables(), settings: { peopleKeys } }),
  ]);
});

afterAll(async () => {
  await browser?.close();
  await world?.[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

/** Whether the page has asked the browser for a microphone. */
const asksFor = (page: Page) => page.evaluate(() => (globalThis as unknown as { asked?: number }).asked ?? 0);

function meterMoves(page: Page, who: string): Promise<boolean> {
  const meter = page.locator('.loudness', { hasText: who }).locator('meter');
  const moves = () => meter.evaluate(({ value }: HTMLMeterElement) => value > 0);
  return eventually(`the meter moves: ${who}`, moves, { everyMs: 20, withinMs: 90_000 });
}

test('a person talks to the agent on the page: asked for the microphone when they choose to, heard, answered aloud', async () => {
  const page = await (await openContext(browser)).newPage();
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(error.message));
  await page.addInitScript(() => {
    const counted = globalThis as unknown as { asked: number };
    const ask = navigator.mediaDevices.getUserMedia.bind(navigator.mediaDevices);
    navigator.mediaDevices.getUserMedia = (...args) => {
      counted.asked = (counted.asked ?? 0) + 1;
      return ask(...args);
    };
  });
  await page.goto(`${world.baseUrl}/try`);
  await page.getByRole('radio', { name: 'Echo' }).check();
  await page.getByRole('button', { name: 'Start conversation' }).click();
  await page.locator('.said.agent', { hasText: 'Welcome to the echo.' }).waitFor();
  expect(await asksFor(page)).toBe(0);

  await page.getByRole('button', { name: 'Talk instead' }).click();
  await page.getByRole('button', { name: 'Mute' }).waitFor();
  expect(await asksFor(page)).toBe(1);
  const loud = ['You', 'Agent'].map((who) => meterMoves(page, who));
  const words = page.locator('.said');
  await words.filter({ hasText: 'thank you' }).first().waitFor({ timeout: 90_000 });
  await Promise.all(loud);
  await page
    .locator('.said.agent[aria-busy=false]', { hasText: /^Agent: You said: .*thank you/ })
    .first()
    .waitFor();
  await page
    .getByText(/Answered after \d+ ms: end of speech \d+ ms/)
    .first()
    .waitFor();
  await eventually('the newest is in view, below the words too', () =>
    page
      .getByRole('region', { name: 'Conversation' })
      .evaluate((box) => box.scrollHeight - box.scrollTop - box.clientHeight < 2),
  );
  expect(await barriersOn(page)).toEqual([]);

  await page.getByRole('button', { name: 'Mute' }).click();
  await page.getByRole('button', { name: 'Unmute' }).waitFor();
  await page.getByRole('textbox', { name: 'Message to Echo' }).fill('a long line, '.repeat(30));
  await page.getByRole('button', { name: 'Send' }).click();
  const told = page.locator('.said.agent', { hasText: 'a long line, a long line' });
  await told.waitFor();
  await page.getByRole('button', { name: 'Interrupt' }).click();
  await page.locator('.said.agent[aria-busy=false]', { hasText: 'a long line, a long line' }).waitFor();
  expect((await told.textContent())?.length).toBeLessThan(300);
  await page.getByRole('button', { name: 'Unmute' }).click();
  await page.getByRole('button', { name: 'Mute', exact: true }).waitFor();
  expect(complaints).toEqual([]);
});

test('an agent is tried by voice in the dashboard: heard, answered, and marked as a test', async () => {
  const people = openPeople(world.serviceUrl);
  const token = await invitation(people, world.tenant, 'editor@example.com', 'editor');
  await people.close();
  const page = await (await openContext(browser)).newPage();
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(error.message));
  await page.goto(`${world.baseUrl}/invitation#${token}`);
  await page.getByLabel('Your name').fill('Ed Editor');
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Accept and sign in' }).click();
  await page.getByRole('link', { name: 'Agents' }).click();
  await page.getByRole('link', { name: 'Echo' }).click();
  await page.getByRole('link', { name: 'Try it' }).click();
  await page.getByRole('button', { name: 'Begin' }).click();
  const said = page.getByRole('region', { name: 'What was said' });
  await said.getByText('Welcome to the echo.').waitFor();
  await page.getByRole('button', { name: 'Talk instead' }).click();
  await page.getByRole('button', { name: 'Mute' }).waitFor();
  const heard = said.locator('.line[data-from=person]', { hasText: 'thank you' });
  await heard.first().waitFor({ timeout: 90_000 });
  await heard.first().getByText('spoken').waitFor();
  await said.locator('.line[data-from=agent]', { hasText: 'You said: thank you' }).first().waitFor();
  await page.getByRole('button', { name: 'End it' }).click();
  await page.getByRole('link', { name: 'Read all of it' }).waitFor();
  expect(await world.admin.query(sql`select test from sessions order by created_at desc limit 1`)).toEqual([
    { test: true },
  ]);
  expect(complaints).toEqual([]);
});
