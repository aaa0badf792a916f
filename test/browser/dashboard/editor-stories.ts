import { execFileSync } from 'node:child_process';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { card, type Dashboard, expectNoBarriers } from './dashboard.ts';

const echo = 'agents/echo.yaml';
const marker = 'SECRET-PROMPT-MARKER. You repeat what you hear.';

const textOf = (page: Page) => page.getByRole('textbox', { name: 'Prompt' });

/** From the page of the agent: writes a prompt and looks at what it changes. */
async function edit(page: Page, prompt: string): Promise<void> {
  await page.getByRole('link', { name: 'Edit the prompt' }).click();
  await textOf(page).fill(prompt);
  await review(page);
}

async function review(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'See what changes' }).click();
  await page.locator('.diff [data-kind=added]').first().waitFor();
}

async function commit(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Commit it now' }).click();
  await page.getByRole('main').getByText('Live', { exact: true }).waitFor();
}

/** An agent's prompt is changed on the page, through Git. */
export const editorStories = (opened: () => Dashboard) =>
  describe('a prompt on the page', () => {
    const git = (...args: string[]) =>
      execFileSync('git', ['--git-dir', opened().remote.url, ...args], { encoding: 'utf8' }).trim();
    const inFile = (branch = 'main') => git('show', `${branch}:${echo}`);

    test('is drafted, checked, kept over a reload, compared, and proposed on a branch', async () => {
      const { page, complaints } = await opened().openSignedIn('/t/local/agents/echo');
      await page.getByRole('link', { name: 'Edit the prompt' }).click();
      await textOf(page).fill(`${marker}\nToday is {{dat}}.`);
      await card(page, 'Checks').getByText('Did you mean {{date}}?').waitFor();
      await expectNoBarriers(page);
      await textOf(page).fill(`${marker}\nToday is {{date}}.`);
      await card(page, 'Checks').getByText('Nothing is wrong with it.').waitFor();
      await card(page, 'Instructions').getByRole('combobox').selectOption({ label: 'As the model is told, Deutsch' });
      await card(page, 'Instructions').getByText('Answer in Deutsch').waitFor();

      await page.reload();
      expect(await textOf(page).inputValue()).toBe(`${marker}\nToday is {{date}}.`);
      await page.getByText('Draft, kept in this browser').waitFor();
      await review(page);
      expect(await page.locator('.diff [data-kind=added] code').allTextContents()).toEqual(['Today is {{date}}.']);
      await page.getByRole('textbox', { name: 'What it is for' }).fill('Say the date');
      await expectNoBarriers(page);
      await page.getByRole('button', { name: 'Propose it' }).click();
      await page.getByText('Written, not live yet').waitFor();
      await expectNoBarriers(page);
      const branch = await page.getByText(/^parley\/echo-/).textContent();
      expect(git('log', '-1', '--format=%an: %s', branch ?? '')).toBe('Olivia Owner: Say the date');
      expect(inFile(branch ?? '')).toContain('Today is {{date}}.');
      expect(inFile()).not.toContain('{{date}}');

      await page.getByRole('link', { name: 'To the agent' }).click();
      await card(page, 'Changes from here').getByText('Say the date').waitFor();
      expect(complaints).toEqual([]);
      await page.context().close();
    });

    test('is committed and live, and taken back to what an earlier version said', async () => {
      const { page, complaints } = await opened().openSignedIn('/t/local/agents/echo');
      await edit(page, 'You repeat, and you are brief.');
      await commit(page);
      expect(inFile()).toContain('You repeat, and you are brief.');

      await page.getByRole('link', { name: 'Versions' }).click();
      const rows = page.getByRole('row').filter({ has: page.locator('code') });
      await rows.nth(1).getByText('the first version').waitFor();
      await rows.nth(0).getByRole('link').click();
      await page.getByRole('combobox', { name: 'Compared with' }).waitFor();
      await page.locator('.diff').getByText(marker).waitFor();
      await page.goBack();
      await rows.nth(1).getByRole('link').click();
      await page.getByRole('combobox', { name: 'Compared with' }).selectOption({ index: 1 });
      await page.locator('.diff [data-kind=removed]').getByText('You repeat, and you are brief.').waitFor();
      await card(page, 'How their conversations went, in the last 90 days')
        .getByRole('row', { name: /size of the sample/ })
        .waitFor();
      await expectNoBarriers(page);

      await page.getByRole('link', { name: 'Go back to this prompt' }).click();
      expect(await textOf(page).inputValue()).toBe(marker);
      await review(page);
      await commit(page);
      expect(inFile()).toContain(marker);
      expect(git('log', '-1', '--format=%s', 'main')).toMatch(/^Go back to the prompt of version [0-9a-f]{12}$/);
      expect(complaints).toEqual([]);
      await page.context().close();
    });

    test('that somebody else has changed meanwhile is not written over: both texts are shown, and one goes on', async () => {
      const { author } = opened();
      const { page, complaints } = await opened().openSignedIn('/t/local/agents/echo');
      await edit(page, 'Mine.');
      await author.git('pull', '--quiet', '--rebase', 'origin', 'main');
      const file = await author.read(echo);
      await author.merge(echo, file.replace(/^prompt:[\s\S]*?(?=^languages:)/m, 'prompt: Theirs.\n'));
      await page.getByRole('button', { name: 'Commit it now' }).click();
      await page.getByRole('heading', { name: 'Somebody else has changed this file' }).waitFor();
      await card(page, 'What is there now').getByText('Theirs.').waitFor();
      await card(page, 'What you wrote').getByText('Mine.').waitFor();
      await expectNoBarriers(page);
      expect(inFile()).toContain('Theirs.');
      await page.getByRole('button', { name: 'Go on with mine' }).click();
      await review(page);
      await commit(page);
      expect(inFile()).toContain('Mine.');
      expect(inFile()).not.toContain('Theirs.');
      // The refusal was told by its status, which the browser notes.
      expect(complaints.filter((complaint) => !complaint.includes('409'))).toEqual([]);
      await page.context().close();
    });

    test('becomes a proposal where the branch takes no commits, and the page says so', async () => {
      const hook = join(opened().remote.url, 'hooks/update');
      await writeFile(hook, '#!/bin/sh\ntest "$1" != refs/heads/main\n', { mode: 0o755 });
      const { page, complaints } = await opened().openSignedIn('/t/local/agents/echo');
      await edit(page, 'Protected.');
      await page.getByRole('button', { name: 'Commit it now' }).click();
      await page.getByText('The branch takes no direct commits, so it became a proposal.').waitFor();
      await rm(hook);
      const branch = (await page.getByText(/^parley\/echo-/).textContent()) ?? '';
      expect(inFile(branch)).toContain('Protected.');
      expect(complaints).toEqual([]);
      await page.context().close();
    });
  });
