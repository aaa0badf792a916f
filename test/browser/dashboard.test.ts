import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '../../services/store/sql.ts';
import { listMembers } from '../../services/store/tables/memberships.ts';
import { eventually } from '../support/eventually.ts';
import { password } from '../support/people/account.ts';
import { Customer } from '../support/people/customer.ts';
import { Person } from '../support/people/person.ts';
import { axeFindings, showsFocus } from './accessibility.ts';
import { bytesSent } from './bytes-sent.ts';
import { arrivalStories } from './dashboard/arrival-stories.ts';
import { attentionStories } from './dashboard/attention-stories.ts';
import { consoleStories } from './dashboard/console-stories.ts';
import { Dashboard, expectNoBarriers, owner, signIn } from './dashboard/dashboard.ts';
import { editorStories } from './dashboard/editor-stories.ts';
import { everyPageStory } from './dashboard/every-page-stories.ts';
import { healthStory } from './dashboard/health-stories.ts';
import { scenarioStories } from './dashboard/scenario-stories.ts';
import { telephoneStories } from './dashboard/telephone-stories.ts';
import { webhookStories } from './dashboard/webhook-stories.ts';
import { widgetStories } from './dashboard/widget-stories.ts';

let dashboard: Dashboard;

beforeAll(async () => {
  dashboard = await Dashboard.start();
});

afterAll(async () => {
  await dashboard?.[Symbol.asyncDispose]();
});

test('who was invited accepts, and finds nothing yet but the way to a first conversation', async () => {
  const { page, complaints } = await dashboard.open(`/invitation#${await dashboard.invitation(owner, 'owner')}`);
  await page.getByLabel('Your name').fill('Olivia Owner');
  await page.getByLabel('Password').fill(password);
  await expectNoBarriers(page);
  await page.getByRole('button', { name: 'Accept and sign in' }).click();
  await page.getByRole('heading', { name: 'No conversations yet' }).waitFor();
  expect(await page.getByRole('link', { name: 'Try an agent' }).getAttribute('href')).toBe('/try/');
  await expectNoBarriers(page);
  expect(page.url()).toBe(`${dashboard.world.baseUrl}/t/local`);
  expect(complaints).toEqual([]);
  await page.context().close();
});

test('a conversation that was held is found in the list and read to its last second', async () => {
  const conversation = await dashboard.holdConversation();
  const { page, complaints } = await dashboard.open(`/t/local/sessions/${conversation}`);
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  await expectNoBarriers(page);
  await signIn(page, owner);

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

test('an owner invites somebody, who accepts, is given another role, and is removed', async () => {
  const { page, complaints } = await dashboard.open('/t/local/members');
  await signIn(page, owner);
  await page.getByRole('button', { name: 'Invite somebody' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Email').fill('ed@example.com');
  await dialog.getByRole('radio', { name: /Editor/ }).check();
  await expectNoBarriers(page);
  await dialog.getByRole('button', { name: 'Make the invitation' }).click();
  const link = await dialog.locator('pre').textContent();
  await dialog.getByRole('button', { name: 'Done' }).click();
  await page.getByRole('region', { name: 'Invited' }).getByRole('rowheader', { name: 'ed@example.com' }).waitFor();

  const invited = await dashboard.open(link?.replace(dashboard.world.baseUrl, '') ?? '', { locale: 'de-DE' });
  await invited.page.getByLabel('Ihr Name').fill('Ed Editor');
  await invited.page.getByLabel('Passwort').fill(password);
  await invited.page.getByRole('button', { name: 'Annehmen und anmelden' }).click();
  await invited.page.getByRole('heading', { name: 'Überblick' }).waitFor();

  await page.reload();
  await page.getByRole('combobox', { name: 'Role of Ed Editor' }).selectOption({ label: 'Viewer' });
  await page.getByRole('status').getByText('Ed Editor is Viewer now.').waitFor();
  const roles = () =>
    dashboard.people.asTenant(dashboard.world.tenant, async (tx) =>
      (await listMembers(tx, { limit: 10 })).map(({ name, role }) => `${name} ${role}`),
    );
  expect((await roles()).sort()).toEqual(['Ed Editor viewer', 'Olivia Owner owner']);
  await page
    .getByRole('row', { name: /Ed Editor/ })
    .getByRole('button', { name: 'Remove' })
    .click();
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
  await page.getByRole('status').getByText('Ed Editor was removed.').waitFor();
  expect(await roles()).toEqual(['Olivia Owner owner']);

  await page.getByRole('link', { name: 'Audit log' }).click();
  await page.getByRole('cell', { name: 'Changed a role' }).waitFor();
  await expectNoBarriers(page);
  expect([...complaints, ...invited.complaints]).toEqual([]);
  await Promise.all([page.context().close(), invited.page.context().close()]);
});

test('a conversation is heard as it is spoken, ended, and counted', async () => {
  const { page, complaints } = await dashboard.open('/t/local/live');
  await signIn(page, owner);
  await page.getByRole('heading', { name: 'Nobody is talking at the moment' }).waitFor();
  const customer = await dashboard.world.customer();
  const { sessionId, ...connection } = await customer.createSession({ interactionMode: 'TEXT' });
  const person = await Person.join(connection);
  await person.hears(/^Welcome/);
  await page.getByRole('row', { name: /echo/ }).getByRole('link').click();
  const said = page.getByRole('region', { name: 'What was said' });
  await said.getByText('Welcome to the echo.').waitFor();
  await person.ask('a teapot please', /teapot/);
  await said.getByText('You said: a teapot please').waitFor();
  await expectNoBarriers(page);
  await dashboard.world.apis[0]?.kill();
  await person.ask('while nobody watches', /nobody watches/);
  await dashboard.world.startApi();
  await said.getByText('You said: while nobody watches').waitFor();
  expect(await said.getByText('You said: a teapot please').count()).toBe(1);
  // The browser notes what it could not load meanwhile.
  complaints.splice(0, complaints.length, ...complaints.filter((one) => !one.includes('net::ERR_')));
  await page.getByRole('button', { name: 'End it' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'End it' }).click();
  await page.getByText('Ended from the dashboard').waitFor();
  await page.getByText('Neutral').or(page.getByText('Positive')).waitFor();
  await person.leave();

  await page.getByRole('link', { name: 'Overview' }).click();
  await page.getByRole('region', { name: 'Conversations a day' }).locator('canvas').waitFor({ state: 'attached' });
  await page.getByRole('region', { name: 'Conversations a day' }).getByText('As a table').click();
  await page.getByRole('link', { name: 'Ended from the dashboard' }).waitFor();
  await expectNoBarriers(page);

  const rows = await dashboard.world.admin.query(sql`select end_reason from sessions where id = ${sessionId}`);
  expect(rows).toEqual([{ end_reason: 'dashboard_ended' }]);
  expect(complaints).toEqual([]);
  await page.context().close();
});

test('an agent is shown with what its model is told, and gets a new key, shown to be the one that works', async () => {
  const { page, complaints } = await dashboard.open('/t/local/agents');
  await signIn(page, owner);
  await page.getByRole('link', { name: 'Echo' }).click();
  await page.getByText('SECRET-PROMPT-MARKER').waitFor();
  await page.getByRole('combobox', { name: 'Shown' }).selectOption({ label: 'As the model is told, Deutsch' });
  await page.getByRole('heading', { name: 'Instructions' }).waitFor();
  await expectNoBarriers(page);
  await page.getByRole('link', { name: 'Versions' }).click();
  await page.getByRole('row', { name: /Live/ }).getByRole('link').click();
  await page.getByText('the first version').waitFor();
  await page.goBack();

  await page.getByRole('link', { name: 'Credentials' }).click();
  const { apiKey: earlier } = await dashboard.world.credentials('echo');
  await page.getByRole('region', { name: 'API key' }).getByText(earlier).waitFor();
  await page.getByRole('button', { name: 'New API key' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('radio', { name: 'Not at all: they stop now' }).check();
  await dialog.getByRole('button', { name: 'New API key' }).click();
  const key = (await dialog.locator('.secret code').textContent()) ?? '';
  await dialog.getByRole('button', { name: 'Done' }).click();
  const statusOf = async (one: string) =>
    (await new Customer(dashboard.world.baseUrl, one).call('GET', '/api/sessions/languages')).status;
  await eventually('the earlier key is refused', async () => (await statusOf(earlier)) === 401);
  expect(await statusOf(key)).toBe(200);
  dashboard.world.forgetCredentials('echo');
  await page.getByRole('region', { name: 'API key' }).getByText(key).waitFor();
  await expectNoBarriers(page);

  await page.getByRole('link', { name: 'Webhook' }).click();
  await page.getByText('echo has no webhook').waitFor();
  await expectNoBarriers(page);
  expect(complaints).toEqual([]);
  await page.context().close();
});

test('on a phone, in the dark, in German and by the keyboard alone', async () => {
  const { page, complaints } = await dashboard.open('/t/local/members', {
    ...{ viewport: { width: 360, height: 720 }, colorScheme: 'dark', locale: 'de-DE', reducedMotion: 'reduce' },
  });
  const tabTo = async (name: string, key = 'Tab') => {
    for (let presses = 0; presses < 30; presses += 1) {
      await page.keyboard.press(key);
      expect(await showsFocus(page)).toBe(true);
      const focused = await page.evaluate(() => {
        const { activeElement } = document;
        return activeElement?.getAttribute('aria-label') ?? activeElement?.textContent ?? '';
      });
      if (focused.includes(name)) return;
    }
    throw new Error(`${name} cannot be reached`);
  };
  await page.getByLabel('E-Mail').focus();
  await page.keyboard.type(owner);
  await page.keyboard.press('Tab');
  await page.keyboard.type(password);
  await page.keyboard.press('Enter');
  await page.getByRole('rowheader', { name: /Olivia/ }).waitFor();
  await expectNoBarriers(page);
  // The heading has the focus: what can be done here comes first, what is around it lies behind.
  await tabTo('Zum Inhalt', 'Shift+Tab');
  await tabTo('Menü');
  await page.keyboard.press('Enter');
  await expectNoBarriers(page);
  await tabTo('Gespräche');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'Gespräche' }).waitFor();
  await page.locator('.row-link').first().waitFor();
  await expectNoBarriers(page);
  await tabTo('Menü', 'Shift+Tab');
  await page.keyboard.press('Enter');
  await tabTo('Olivia Owner');
  await page.keyboard.press('Enter');
  await page.getByRole('menu').waitFor();
  expect(await axeFindings(page)).toEqual([]);
  await page.keyboard.press('End');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Anmelden' }).waitFor();
  await page.reload();
  await page.getByRole('heading', { name: 'Anmelden' }).waitFor();
  expect(complaints).toEqual([]);
  await page.context().close();
});

test('the files of the first page weigh 150 kB at most as they are sent', async () => {
  const { page } = await dashboard.openSignedIn('/t/local');
  await page.getByRole('region', { name: 'Conversations a day' }).locator('canvas').waitFor({ state: 'attached' });
  await page.waitForLoadState('networkidle');
  const sent = await bytesSent(page);
  expect(sent).toBeGreaterThan(50_000);
  expect(sent).toBeLessThanOrEqual(150_000);
  await page.context().close();
});

consoleStories(() => dashboard);
scenarioStories(() => dashboard);
editorStories(() => dashboard);
attentionStories(() => dashboard);
telephoneStories(() => dashboard);
webhookStories(() => dashboard);
arrivalStories(() => dashboard);
widgetStories(() => dashboard);
healthStory(() => dashboard);
everyPageStory(() => dashboard);
