import { expect, test } from 'vitest';
import { sql } from '../../../services/store/sql.ts';
import { eventually } from '../../support/eventually.ts';
import { type Dashboard, expectNoBarriers } from './dashboard.ts';

const file = 'agents/echo.yaml';
const cap = 1_000;
const used = 900;

/** What somebody should look at stands on the overview, and leads to where it is mended. */
export const attentionStories = (opened: () => Dashboard) => {
  refusedStory(opened);
  keysAndCapsStory(opened);
};

const refusedStory = (opened: () => Dashboard) =>
  test('files that were refused need attention, with each place and reason, until they are mended', async () => {
    const { author, world } = opened();
    await author.git('pull', '--quiet', '--rebase', 'origin', 'main');
    const { page, complaints } = await opened().openSignedIn('/t/local');
    const told = page
      .getByRole('region', { name: 'Needs attention' })
      .getByRole('link', { name: 'The newest agents’ files were refused: one place to mend' });
    const isTold = (isShown: boolean) =>
      eventually(isShown ? 'it is told' : 'it is told no more', async () => {
        await page.reload();
        await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
        await page.waitForLoadState('networkidle');
        return (await told.isVisible()) === isShown;
      });
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
    try {
      await author.merge('agents/broken.yaml', 'name: Broken\nprompt: x\nlanguges: []\n');
      await isTold(true);
      await told.click();
      const refused = page.getByRole('region', { name: 'The newest files were refused' });
      await refused.getByText('broken.yaml:3:1').waitFor();
      await refused.getByText('There is no field "languges". Did you mean "languages"?').waitFor();
      await expectNoBarriers(page);
    } finally {
      await author.git('rm', '--quiet', 'agents/broken.yaml');
      await author.commit('Take the broken one away');
      await author.push();
    }
    await page.goto(`${world.baseUrl}/t/local`);
    await isTold(false);
    expect(complaints).toEqual([]);
    await page.context().close();
  });

const keysAndCapsStory = (opened: () => Dashboard) =>
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
