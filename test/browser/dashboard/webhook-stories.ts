import { expect, test } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import { WebhookReceiver } from '../../support/stand-ins/webhook-receiver.ts';
import { card, type Dashboard, expectNoBarriers } from './dashboard.ts';

/** A webhook is tested on the page, and what could not be delivered is read and sent again. */
export const webhookStories = (opened: () => Dashboard) =>
  test('a webhook is tested on the page with its exact request and answer, and a delivery is sent again', async () => {
    await using receiver = await WebhookReceiver.start();
    const { author } = opened();
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
    await author.merge('agents/echo.yaml', echo);
    expect(complaints).toEqual([]);
    await page.context().close();
  });
