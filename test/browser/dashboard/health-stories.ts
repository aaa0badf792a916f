import { expect, test } from 'vitest';
import { sql } from '../../../services/store/sql.ts';
import { eventually } from '../../support/eventually.ts';
import { card, type Dashboard, expectNoBarriers, release } from './dashboard.ts';

/** Whoever runs the installation sees what is there, and of which releases; two of a kind are a rollout under way. */
export const healthStory = (opened: () => Dashboard) =>
  test('service health says which parts are there and of which releases they are, also in a rollout', async () => {
    const { world } = opened();
    const { page, complaints } = await opened().openSignedIn('/t/local/health');
    await page.getByRole('status').getByText('Everything is there').waitFor();
    for (const part of ['Database', 'Room server', 'Agent hosts', 'Worker'])
      await card(page, part).getByText('There', { exact: true }).waitFor();
    const releases = card(page, 'Releases');
    const told = async () => (await releases.locator('.facts').innerText()).replaceAll(/\s+/g, ' ');
    await eventually('each has told its release', async () => {
      await page.reload();
      await releases.waitFor();
      return /API .*Agent hosts .*Worker|Agent hosts .*API .*Worker/.test(await told());
    });
    expect((await told()).split(release)).toHaveLength(4);
    await expectNoBarriers(page);

    await using next = await world.startApi({ settings: { release: 'v1.2.4' } });
    expect(next.port).toBeGreaterThan(0);
    const stored = sql`select count(*)::int as count from running_processes where process = 'api' and release = 'v1.2.4'`;
    await eventually('the next one has told', async () => (await world.admin.query(stored))[0], { withinMs: 90_000 });
    await releases.getByText('v1.2.4').waitFor();
    expect(await world.admin.query(stored)).toEqual([{ count: 1 }]);
    expect(complaints).toEqual([]);
    await page.context().close();
  });
