import { expect, test } from 'vitest';
import { sql } from '../../../services/store/sql.ts';
import { card, type Dashboard, expectNoBarriers } from './dashboard.ts';

const file = `scenarios:
  - name: It repeats
    turns:
      - say: good morning
        expect: { text: good morning }
`;

/** What must go well with an agent is listed, run from the page, and told with what went wrong. */
export const scenarioStories = (opened: () => Dashboard) =>
  test('scenarios are listed with what came of them, run from the page, and a failure says what was expected', async () => {
    const { author, world } = opened();
    const { page, complaints } = await opened().openSignedIn('/t/local/scenarios');
    await page.getByRole('heading', { name: 'No agent has scenarios yet' }).waitFor();
    await expectNoBarriers(page);

    await author.git('pull', '--quiet', '--rebase', 'origin', 'main');
    await author.merge('agents/scenarios/echo.yaml', file);
    const echo = card(page, 'echo');
    await expect
      .poll(
        async () => {
          await page.reload();
          await page.getByRole('heading', { level: 1 }).waitFor();
          return echo.count();
        },
        { timeout: 60_000 },
      )
      .toBe(1);
    await echo.getByRole('button', { name: 'Run them now' }).click();
    await echo.getByText('Passed', { exact: true }).first().waitFor();
    await echo.getByText('It repeats').click();
    await echo.getByText('good morning').waitFor();
    await echo.getByRole('row', { name: /scripted/ }).waitFor();
    await expectNoBarriers(page);

    await author.merge('agents/scenarios/echo.yaml', file.replace('text: good', 'text: bad'));
    await expect.poll(async () => (await stored()).at(0)?.outcome, { timeout: 60_000 }).toBe('failed');
    await page.reload();
    await echo.getByText('Failed', { exact: true }).waitFor();
    await echo.getByText('It repeats').click();
    await echo.getByText('Expected').waitFor();
    await page.getByRole('link', { name: 'Overview' }).click();
    await page.getByRole('link', { name: 'A scenario fails with what is live' }).waitFor();
    await author.git('rm', '--quiet', '-r', 'agents/scenarios');
    await author.commit('Take the scenarios away');
    await author.push();
    expect(complaints).toEqual([]);
    await page.context().close();

    function stored() {
      return world.admin.query<{ outcome: string }>(sql`select outcome from scenario_results order by run_at desc`);
    }
  });
