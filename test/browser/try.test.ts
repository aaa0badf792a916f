import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildPage } from '../../scripts/build-pages.ts';
import { sql } from '../../services/store/sql.ts';
import { eventually } from '../support/eventually.ts';
import { startToolServer, type ToolServer } from '../support/stand-ins/tool-server.ts';
import { startWorld, type World } from '../support/world/world.ts';
import { barriersOn, isWiderThanWindow, showsFocus } from './accessibility.ts';
import { openBrowser, openContext } from './chromium.ts';

const phone = { width: 360, height: 720 };

let world: World;
let tools: ToolServer;
let browser: Browser;

beforeAll(async () => {
  await buildPage('try');
  [tools, browser] = await Promise.all([startToolServer(), openBrowser()]);
  world = await startWorld({ env: { TEST_TOOLS_URL: tools.url } });
});

afterAll(async () => {
  await browser?.close();
  await world?.[Symbol.asyncDispose]();
  await tools?.[Symbol.asyncDispose]();
});

/** The page in a profile of its own, with everything that the browser complained about. */
async function openPage(options: BrowserContextOptions = {}): Promise<{ page: Page; complaints: string[] }> {
  const context = await openContext(browser, options);
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
  await page.goto(`${world.baseUrl}/try`);
  return { page, complaints };
}

const conversation = (page: Page) => page.getByRole('region', { name: 'Conversation' });

async function hears(page: Page, text: string): Promise<void> {
  await conversation(page).locator('.said.agent[aria-busy=false]', { hasText: text }).waitFor();
}

async function say(page: Page, text: string): Promise<void> {
  await page.getByRole('textbox', { name: 'Message to Echo' }).fill(text);
  await page.getByRole('button', { name: 'Send' }).click();
}

async function start(page: Page, language = 'English'): Promise<void> {
  await page.getByRole('radio', { name: 'Echo' }).check();
  await page.getByRole('combobox', { name: 'Language' }).selectOption({ label: language });
  await page.getByRole('button', { name: 'Start conversation' }).click();
}

async function sessionOf(page: Page): Promise<{ status: string; end_reason: string | null }> {
  const id = await page.locator('.curl code').first().textContent();
  const [row] = await world.admin.query<{ status: string; end_reason: string | null }>(
    sql`select status, end_reason from sessions where id = ${id}`,
  );
  if (!row) throw new Error(`no session ${id}`);
  return row;
}

describe('the page to try an agent', () => {
  test('files that are refused are told of with their places, until they are mended', async () => {
    const { page, complaints } = await openPage();
    const broken = join(world.agentsFolder, 'broken.yaml');
    await writeFile(broken, `name: Broken\nprompt: x\nlanguges: []\n# ${'long'.repeat(100)}\n`);
    const refused = page.getByRole('region', { name: 'Refused files' });
    const isTold = async () => {
      await page.reload();
      await page.getByRole('radio', { name: 'Echo' }).waitFor();
      return (await refused.count()) === 1;
    };
    await eventually('it is told', isTold);
    await refused.getByText('broken.yaml:3:1').waitFor();
    expect(await barriersOn(page)).toEqual([]);
    await rm(broken);
    await eventually('it is told no more', async () => !(await isTold()));
    expect(complaints).toEqual([]);
  });

  test('a person chooses, converses, sees the tool that was called, and reads what came of it', async () => {
    const { page, complaints } = await openPage();
    await start(page);
    await hears(page, 'Welcome to the echo.');
    await page.getByText('Connected, agent is listening').waitFor();

    await say(page, 'good morning');
    await hears(page, 'You said: good morning');
    await say(page, 'wait 30 kettle');
    await hears(page, 'Waited: kettle.');
    const tool = page.locator('.tool');
    await tool.getByText('wait', { exact: true }).click();
    await tool.getByText('"label": "kettle"').first().waitFor();
    expect(await page.locator('.said, .tool').allInnerTexts()).toEqual([
      expect.stringContaining('Welcome to the echo.'),
      expect.stringContaining('good morning'),
      expect.stringContaining('You said: good morning'),
      expect.stringContaining('wait 30 kettle'),
      expect.stringContaining('kettle'),
      expect.stringContaining('Waited: kettle.'),
    ]);

    await page.getByRole('button', { name: 'End conversation' }).click();
    await page.getByRole('heading', { name: 'Conversation over' }).waitFor();
    await page.getByText('You ended the conversation.').waitFor();
    await page.getByText('Outcome').waitFor();
    expect(await page.getByRole('region', { name: 'Summary' }).getByText('is being written').count()).toBe(0);

    const minutes = page.getByRole('region', { name: 'Minutes' });
    await minutes.getByRole('rowheader', { name: 'You' }).waitFor();
    await minutes.getByRole('rowheader', { name: 'Agent' }).waitFor();
    expect(await minutes.locator('.figures dd').allTextContents()).toEqual([
      expect.stringMatching(/^\d+ s$/),
      expect.stringMatching(/^\d+ s$/),
    ]);
    await minutes.getByText('Events that the figures were computed from').click();
    expect(await minutes.getByRole('table').last().getByRole('row').count()).toBeGreaterThan(2);

    await page.getByRole('button', { name: 'New conversation' }).click();
    expect(await page.getByRole('radio', { name: 'Echo' }).isChecked()).toBe(true);
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  test('the chosen language is spoken, and messages need not wait for answers', async () => {
    const { page } = await openPage();
    await start(page, 'Deutsch');
    // Written before the room is joined: kept, and sent once it is.
    await say(page, 'eins');
    await say(page, 'zwei');
    await hears(page, 'Du sagtest: eins');
    await hears(page, 'Du sagtest: zwei');
    await page.context().close();
  });

  test('the request is shown for a shell', async () => {
    const { page } = await openPage();
    await start(page);
    await page.getByText('As curl').click();
    const { apiKey } = await world.credentials('echo');
    const command = await page.locator('.command pre').first().textContent();
    expect(command).toContain(`curl -X POST '${world.baseUrl}/api/sessions'`);
    expect(command).toContain(`Bearer ${apiKey}`);
    await page.context().close();
  });

  test('when the agent ends the conversation the page shows it', async () => {
    const { page } = await openPage();
    await start(page);
    await hears(page, 'Welcome');
    await say(page, 'goodbye');
    await page.getByText('The agent ended the conversation.').waitFor();
    await page.getByText('Goodbye!').first().waitFor();
    await page.context().close();
  });

  test('a tab that is closed ends its session', async () => {
    const { page } = await openPage();
    await start(page);
    await hears(page, 'Welcome');
    const id = await page.locator('.curl code').first().textContent();
    await page.close();
    await eventually('the session is ended by its page', async () => {
      const [row] = await world.admin.query<{ end_reason: string | null }>(
        sql`select end_reason from sessions where id = ${id}`,
      );
      return row?.end_reason === 'client_ended';
    });
  });

  test('a host that dies in the conversation costs no message', async () => {
    const { page } = await openPage();
    await start(page);
    await hears(page, 'Welcome');
    const id = await page.locator('.curl code').first().textContent();
    const host = await world.hostOf(id ?? '');
    await world.startHost();
    await host.kill();
    await say(page, 'are you back');
    await hears(page, 'You said: are you back');
    expect((await sessionOf(page)).status).toBe('running');
    await page.context().close();
  });

  test('a refusal is shown in the words of the service', async () => {
    const { page } = await openPage();
    await page.getByRole('button', { name: 'Start conversation' }).waitFor();
    // A key may be answered from memory for half a second, before and after.
    const keyAnswer = async () => (await world.customer()).call('GET', '/api/sessions/languages');
    await world.admin.query(sql`update agents set disabled_at = now() where agent = 'echo'`);
    try {
      const refused = await eventually('a session is refused', async () => {
        const answer = await keyAnswer();
        return answer.status === 401 && ((await answer.json()) as { message: string }).message;
      });
      await start(page);
      expect(await page.getByRole('alert').textContent()).toContain(refused);
      expect(await page.getByRole('button', { name: 'Start conversation' }).isEnabled()).toBe(true);
    } finally {
      await world.admin.query(sql`update agents set disabled_at = null where agent = 'echo'`);
      await eventually('the key is accepted again', async () => (await keyAnswer()).ok);
    }
    await page.context().close();
  });

  test('everything can be done with the keyboard, and the focus can be seen', async () => {
    const { page } = await openPage();
    await page.getByRole('button', { name: 'Start conversation' }).waitFor();
    const tabTo = async (selector: string) => {
      for (let presses = 0; presses < 20; presses += 1) {
        await page.keyboard.press('Tab');
        expect(await showsFocus(page)).toBe(true);
        if (await page.evaluate((wanted) => document.activeElement?.matches(wanted), selector)) return;
      }
      throw new Error(`${selector} cannot be reached`);
    };
    await tabTo('input[type=radio]');
    await tabTo('select');
    await tabTo('button[type=submit]');
    await page.keyboard.press('Enter');

    await hears(page, 'Welcome to the echo.');
    // The message field has the focus already.
    await page.keyboard.type('first line');
    await page.keyboard.press('Shift+Enter');
    await page.keyboard.type('second line');
    await page.keyboard.press('Enter');
    await hears(page, 'second line');
    await page.keyboard.type('wait 10 tea');
    await page.keyboard.press('Enter');
    await hears(page, 'Waited: tea.');
    await page.locator('.tool').waitFor();
    await page.evaluate(() => document.body.focus());
    await page.getByRole('heading', { level: 1 }).click();
    await tabTo('.end');
    await tabTo('.transcript');
    await tabTo('.tool summary');
    await page.keyboard.press('Enter');
    await page.locator('.tool pre').first().waitFor();
    await page.getByRole('heading', { level: 1 }).click();
    await tabTo('.end');
    await page.keyboard.press('Enter');

    await page.getByRole('heading', { name: 'Conversation over' }).waitFor();
    expect(await page.evaluate(() => document.activeElement?.tagName)).toBe('H1');
    await tabTo('.actions button:last-child');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Try an agent' }).waitFor();
    await page.context().close();
  });

  test('a screen reader is told of each whole reply and of the connection', async () => {
    const { page } = await openPage();
    await start(page);
    await say(page, 'hello');
    await hears(page, 'You said: hello');
    const log = page.getByRole('log', { name: 'Latest reply' });
    await log.getByText('You said: hello', { exact: true }).waitFor();
    expect(await log.getAttribute('aria-live')).toBe('polite');
    await page.getByRole('status').getByText('Connected', { exact: true }).waitFor();
    await page.context().close();
  });

  for (const colorScheme of ['light', 'dark'] as const) {
    test(`it fits a phone and has no barriers, ${colorScheme}`, async () => {
      const { page } = await openPage({ viewport: phone, colorScheme, reducedMotion: 'reduce' });
      await page.getByRole('button', { name: 'Start conversation' }).waitFor();
      const expectGood = async () => {
        expect(await isWiderThanWindow(page)).toBe(false);
        expect(await barriersOn(page)).toEqual([]);
      };
      await expectGood();
      await start(page);
      await hears(page, 'Welcome');
      await expectGood();
      await say(page, `wait 10 ${'x'.repeat(40)}`);
      await hears(page, 'Waited');
      await say(page, 'averylongwordwithoutanyplacetobreak'.repeat(6));
      await hears(page, 'averylongword');
      await page.locator('.tool summary').click();
      await page.getByText('As curl').click();
      await expectGood();
      expect(await page.evaluate(() => document.getAnimations().length)).toBe(0);
      await page.getByRole('button', { name: 'End conversation' }).click();
      await page.getByText('Outcome').waitFor();
      await page.getByText('Events that the figures were computed from').click();
      await expectGood();
      await page.context().close();
    });
  }
});
