import { expect, test } from 'vitest';
import { sql } from '../../../services/store/sql.ts';
import { eventually } from '../../support/eventually.ts';
import { card, type Dashboard, expectNoBarriers } from './dashboard.ts';

const file = `scenarios:
  - name: It repeats
    turns:
      - say: good morning
        expect: { text: good morning }
`;

/** Scenarios run at a lower priority than all else, on machines that may be busy. */
const patience = { withinMs: 90_000 };
const testTimeoutMs = 6 * 60_000;

/** What must go well with an agent is listed, run from the page, and told with what went wrong. */
export const scenarioStories = (opened: () => Dashboard) =>
  test(
    'scenarios are listed with what came of them, run from the page, and a failure says what was expected',
    async () => {
      const { author, world } = opened();
      const { page, complaints } = await opened().openSignedIn('/t/local/scenarios');
      await page.getByRole('heading', { name: 'No agent has scenarios yet' }).waitFor();
      await expectNoBarriers(page);
      const echo = card(page, 'echo');
      const stored = async () => {
        const rows = await world.admin.query<{ outcome: string }>(
          sql`select outcome from scenario_results order by run_at desc limit 1`,
        );
        return rows[0]?.outcome;
      };
      await author.git('pull', '--quiet', '--rebase', 'origin', 'main');
      await author.merge('agents/scenarios/echo.yaml', file);
      try {
        await eventually(
          'they are noted',
          async () => (await world.admin.query(sql`select 1 from agent_scenarios`)).length > 0,
          patience,
        );
        await page.reload();
        await echo.getByRole('button', { name: 'Run them now' }).click();
        const ended = sql`select 1 from agent_scenarios where ran_at >= asked_at and problem is null`;
        await eventually('they are run', async () => (await world.admin.query(ended)).length > 0, patience);
        await echo.getByText('Passed', { exact: true }).first().waitFor();
        await echo.getByText('It repeats').click();
        await echo.getByText('good morning').waitFor();
        await echo.getByRole('row', { name: /scripted/ }).waitFor();
        await expectNoBarriers(page);

        await author.merge('agents/scenarios/echo.yaml', file.replace('text: good', 'text: bad'));
        await eventually('the other one fails', async () => (await stored()) === 'failed', patience);
        await page.reload();
        await echo.getByText('Failed', { exact: true }).waitFor();
        await echo.getByText('It repeats').click();
        await echo.getByText('Expected').waitFor();
        await page.getByRole('link', { name: 'Overview' }).click();
        const told = page.getByRole('link', { name: 'A scenario fails with what is live' });
        const isTold = async () => {
          await page.reload();
          return told.waitFor({ timeout: 10_000 }).then(() => true);
        };
        await eventually('it needs attention', isTold, patience);
      } finally {
        await author.git('rm', '--quiet', '-r', 'agents/scenarios');
        await author.commit('Take the scenarios away');
        await author.push();
      }
      expect(complaints).toEqual([]);
      await page.context().close();
    },
    testTimeoutMs,
  );
