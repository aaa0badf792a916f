import { expect, test } from 'vitest';
import { sql } from '../../../services/store/sql.ts';
import { eventually } from '../../support/eventually.ts';
import { type Dashboard, expectNoBarriers } from './dashboard.ts';

const file = 'agents/echo.yaml';
const cap = 1_000;
const used = 900;

/** What an agent lacks, and what it has nearly used up, stands on the overview and leads to the agent. */
export const attentionStory = (opened: () => Dashboard) =>
  test('keys that an agent lacks and a cap that it nearly reaches need attention, until they are mended', async () => {
    const { author, world } = opened();
    await author.git('pull', '--quiet', '--rebase', 'origin', 'main');
    const before = await author.read(file);
    const lacking = before
      .replace(/^speech: \{/m, 'speech: { recognition: [{ provider: deepgram }],')
      .replace(/^limits:$/m, `limits:\n  tokensPerDay: ${cap}`);
    // Tomorrow's too: a story that begins before midnight may end after it.
    await world.admin.query(sql`
      insert into agent_usage (tenant_id, agent, day, tokens)
      select ${world.tenant}, 'echo', (now() at time zone 'UTC')::date + days, ${used} from unnest(array[0, 1]) days
      on conflict (tenant_id, agent, day) do update set tokens = excluded.tokens`);
    const { page, complaints } = await opened().openSignedIn('/t/local');
    const attention = page.getByRole('region', { name: 'Needs attention' });
    const keys = attention.getByRole('link', { name: 'echo lacks keys that its providers need' });
    const tokens = attention.getByRole('link', { name: `${used} of ${cap} tokens a day of echo are used` });
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
    const areShown = (isShown: boolean) =>
      eventually(isShown ? 'both are shown' : 'neither is shown', async () => {
        await page.reload();
        await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
        await page.waitForLoadState('networkidle');
        return (await keys.isVisible()) === isShown && (await tokens.isVisible()) === isShown;
      });
    try {
      await author.merge(file, lacking);
      await areShown(true);
      await expectNoBarriers(page);
      await keys.click();
      await page.getByText('Recognition by deepgram needs a key, and DEEPGRAM_API_KEY is not set').waitFor();
      await page.getByText(`${used} of ${cap} tokens a day of echo are used`).waitFor();
      await expectNoBarriers(page);
    } finally {
      await author.merge(file, before);
    }
    await page.getByRole('link', { name: 'Overview' }).click();
    await areShown(false);
    expect(complaints).toEqual([]);
    await page.context().close();
  });
