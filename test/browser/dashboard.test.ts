import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildPage } from '../../scripts/build-pages.ts';
import type { Database } from '../../services/store/database.ts';
import { invitation, openPeople, password } from '../support/people/account.ts';
import { Person } from '../support/people/person.ts';
import { startToolServer, type ToolServer } from '../support/stand-ins/tool-server.ts';
import { peopleKeys } from '../support/world/master-keys.ts';
import { startWorld, type World } from '../support/world/world.ts';
import { axeFindings, barriersOn, isWiderThanWindow } from './accessibility.ts';
import { openBrowser } from './chromium.ts';

let world: World;
let people: Database;
let tools: ToolServer;
let browser: Browser;

beforeAll(async () => {
  await buildPage('dashboard');
  [tools, browser] = await Promise.all([startToolServer(), openBrowser()]);
  world = await startWorld({ env: { TEST_TOOLS_URL: tools.url }, settings: { peopleKeys } });
  people = openPeople(world.serviceUrl);
});

afterAll(async () => {
  await browser?.close();
  await people?.close();
  await world?.[Symbol.asyncDispose]();
  await tools?.[Symbol.asyncDispose]();
});

/** A page in a profile of its own, with everything that the browser complained about. */
async function openPage(
  path: string,
  options: BrowserContextOptions = {},
): Promise<{ page: Page; complaints: string[] }> {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
  page.on('request', (request) => {
    if (!request.url().startsWith(world.baseUrl) && !request.url().startsWith('data:'))
      complaints.push(`asks somebody else: ${request.url()}`);
  });
  await page.goto(`${world.baseUrl}${path}`);
  return { page, complaints };
}

async function signIn(page: Page, email: string): Promise<void> {
  await page.getByLabel('Email').fill(email);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

/** Held by a client of the room server, as a customer's would. */
async function holdConversation(): Promise<string> {
  const customer = await world.customer();
  const { sessionId, ...connection } = await customer.createSession({ interactionMode: 'TEXT' });
  const person = await Person.join(connection);
  await person.hears(/^Welcome/);
  await person.ask('good morning', /good morning/);
  await person.ask('wait 30 kettle', /Waited: kettle/);
  await customer.endSession(sessionId);
  await person.leave();
  return sessionId;
}

const expectNoBarriers = async (page: Page) => {
  expect(await axeFindings(page)).toEqual([]);
  expect(await barriersOn(page)).toEqual([]);
  expect(await isWiderThanWindow(page)).toBe(false);
};

test('who was invited accepts, and finds nothing yet but the way to a first conversation', async () => {
  const { page, complaints } = await openPage(
    `/invitation#${await invitation(people, world.tenant, 'owner@example.com', 'owner')}`,
  );
  await page.getByLabel('Your name').fill('Olivia Owner');
  await page.getByLabel('Password').fill(password);
  await expectNoBarriers(page);
  await page.getByRole('button', { name: 'Accept and sign in' }).click();
  await page.getByRole('heading', { name: 'No conversations yet' }).waitFor();
  expect(await page.getByRole('link', { name: 'Try an agent' }).getAttribute('href')).toBe('/try/');
  await expectNoBarriers(page);
  expect(page.url()).toBe(`${world.baseUrl}/t/local`);
  expect(complaints).toEqual([]);
  await page.context().close();
});

test('a conversation that was held is found in the list and read to its last second', async () => {
  const conversation = await holdConversation();
  const { page, complaints } = await openPage(`/t/local/sessions/${conversation}`);
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  await expectNoBarriers(page);
  await signIn(page, 'owner@example.com');

  const said = page.getByRole('region', { name: 'What was said' });
  await said.getByText('You said: good morning').waitFor();
  expect(await said.locator('.line').allInnerTexts()).toEqual([
    expect.stringContaining('Welcome to the echo.'),
    expect.stringContaining('good morning'),
    expect.stringContaining('You said: good morning'),
    expect.stringContaining('wait 30 kettle'),
    expect.stringContaining('wait'),
    expect.stringContaining('Waited: kettle.'),
  ]);
  await said.locator('[data-from=tool] summary').click();
  await said.getByText('"label": "kettle"').first().waitFor();
  await page.getByText('The client ended it').waitFor();
  const minutes = page.getByRole('region', { name: 'Minutes' });
  await minutes.getByRole('rowheader', { name: 'Person' }).waitFor();
  await minutes.getByText('Events that the figures were computed from').click();
  await expectNoBarriers(page);

  await page.getByRole('link', { name: 'Sessions' }).first().click();
  await page.getByRole('row', { name: /echo/ }).getByRole('link').click();
  await said.getByText('You said: good morning').waitFor();
  await page.goBack();
  await page.getByRole('heading', { name: 'Sessions' }).waitFor();
  await page.reload();
  await page.getByRole('row', { name: /echo/ }).waitFor();
  expect(await page.evaluate(() => JSON.stringify({ ...localStorage, ...sessionStorage }))).not.toMatch(/eyJ|rt_/);
  expect(complaints).toEqual([]);
  await page.context().close();
});
