import { execFileSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { sql } from '../../../services/store/sql.ts';
import { eventually } from '../../support/eventually.ts';
import { WebhookReceiver } from '../../support/stand-ins/webhook-receiver.ts';
import { card, type Dashboard, expectNoBarriers } from './dashboard.ts';

/** A webhook is tested on the page, and what could not be delivered is read and sent again. */
export const webhookStories = (opened: () => Dashboard) =>
  describe('a webhook on the page', () => {
    testedOnThePage(opened);
    setOnThePage(opened);
  });

const testedOnThePage = (opened: () => Dashboard) =>
  test('a webhook is tested on the page with its exact request and answer, and a delivery is sent again', async () => {
    await using receiver = await WebhookReceiver.start();
    const { author, world } = opened();
    await author.git('pull', '--quiet', '--rebase', 'origin', 'main');
    const echo = await author.read('agents/echo.yaml');
    await author.merge('agents/echo.yaml', `${echo}webhook: { url: '${receiver.url}' }\n`);
    const { page, complaints } = await opened().openSignedIn('/t/local/webhook');
    const deliveries = page.getByRole('heading', { name: 'Deliveries' });
    await deliveries.waitFor();
    await eventually('the webhook is on', async () => {
      await page.reload();
      await deliveries.waitFor();
      await card(page, 'echo').getByRole('status').or(card(page, 'echo').locator('.badge')).first().waitFor();
      return (await card(page, 'echo').getByText(receiver.url).count()) > 0;
    });
    await card(page, 'echo').getByRole('button', { name: 'Send a test' }).click();
    await card(page, 'echo').getByText('Attempt 1: 200').click();
    await card(page, 'echo')
      .getByText(/webhook-signature: v1,/)
      .waitFor();
    await expectNoBarriers(page);
    expect(receiver.deliveries.map(({ body }) => JSON.parse(body).type)).toEqual(['conversation.test']);

    await page
      .getByRole('row', { name: /conversation.test/ })
      .getByRole('link')
      .first()
      .click();
    await page.getByRole('heading', { name: 'Delivery' }).waitFor();
    await page.getByText('Request body').click();
    await page.getByText('"type": "conversation.test"').waitFor();
    await expectNoBarriers(page);
    await page.getByRole('button', { name: 'Send again' }).click();
    await page.getByText('Attempt 2: 200').waitFor();
    expect(new Set(receiver.deliveries.map(({ id }) => id)).size).toBe(1);
    expect(receiver.deliveries).toHaveLength(2);

    receiver.reaction = 500;
    await page.goto(`${world.baseUrl}/t/local/webhook`);
    await card(page, 'echo').getByRole('button', { name: 'Send a test' }).click();
    await card(page, 'echo').getByText('Attempt 1: 500').waitFor();
    await page.goto(`${world.baseUrl}/t/local`);
    await page.getByRole('link', { name: 'A delivery to a webhook failed for good' }).click();
    await page.waitForURL(/status=failed/);
    await page
      .getByRole('row', { name: /conversation.test/ })
      .getByRole('link')
      .click();
    receiver.reaction = 200;
    await page.getByRole('button', { name: 'Send again' }).click();
    await page.getByText('Attempt 2: 200').waitFor();
    const failed = sql`select 1 from deliveries where status = 'failed' and tenant_id = ${world.tenant}`;
    expect(await world.admin.query(failed)).toEqual([]);
    await author.merge('agents/echo.yaml', echo);
    expect(complaints).toEqual([]);
    await page.context().close();
  });

const setOnThePage = (opened: () => Dashboard) =>
  test('its address is chosen, compared and committed; what somebody else wrote meanwhile is not written over', async () => {
    const { author, remote } = opened();
    const inFile = (branch = 'main') =>
      execFileSync('git', ['--git-dir', remote.url, 'show', `${branch}:agents/echo.yaml`], { encoding: 'utf8' });
    const before = inFile();
    const { page, complaints } = await opened().openSignedIn('/t/local/webhook');
    const review = () => page.getByRole('button', { name: 'See what changes' }).click();
    const give = card(page, 'echo').getByRole('link', { name: 'Give an address' });
    await page.getByRole('heading', { name: 'Deliveries' }).waitFor();
    await eventually('what the story before it wrote is taken back', async () => {
      await page.reload();
      await card(page, 'echo').locator('.badge').waitFor();
      return (await give.count()) > 0;
    });
    await give.click();
    await page.getByRole('radio', { name: /^An address that is a secret/ }).check();
    await page.getByLabel('Name of the variable').fill('ECHO_WEBHOOK_URL');
    await expectNoBarriers(page);
    await page.getByRole('radio', { name: /^An address Everybody/ }).check();
    await page.getByLabel('Address', { exact: true }).fill('https://example.com/first');
    await review();
    await page.locator('.diff [data-kind=added]').getByText('https://example.com/first').waitFor();
    await expectNoBarriers(page);
    await page.getByRole('button', { name: 'Commit it now' }).click();
    await page.getByRole('main').getByText('Live', { exact: true }).waitFor();
    expect(inFile()).toContain('https://example.com/first');

    await page.getByRole('main').getByRole('link', { name: 'Webhook', exact: true }).click();
    await card(page, 'echo').getByText('https://example.com/first').waitFor();
    await card(page, 'echo').getByRole('link', { name: 'Change the address' }).click();
    await page.getByRole('radio', { name: /^Nowhere/ }).check();
    await review();
    await author.git('pull', '--quiet', '--rebase', 'origin', 'main');
    await author.merge('agents/echo.yaml', inFile().replace('com/first', 'com/theirs'));
    await page.getByRole('button', { name: 'Propose it' }).click();
    await page.getByRole('heading', { name: 'Somebody else has changed this file' }).waitFor();
    await page.locator('.diff [data-kind=removed]').getByText('https://example.com/theirs').waitFor();
    await expectNoBarriers(page);
    await page.getByRole('button', { name: 'Go on with mine' }).click();
    await page.getByRole('button', { name: 'See what changes' }).click();
    await page.getByRole('button', { name: 'Propose it' }).click();
    const branch = (await page.getByText(/^parley\/echo-/).textContent()) ?? '';
    expect(inFile(branch)).not.toContain('webhook');
    expect(inFile()).toContain('https://example.com/theirs');
    await author.git('pull', '--quiet', '--rebase', 'origin', 'main');
    await author.merge('agents/echo.yaml', before);
    // The refusal was told by its status, which the browser notes.
    expect(complaints.filter((complaint) => !complaint.includes('409'))).toEqual([]);
    await page.context().close();
  });
