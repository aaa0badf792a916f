import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { axeFindings, barriersOn, isWiderThanWindow, showsFocus } from '../accessibility.ts';
import type { Dashboard } from './dashboard.ts';

const pagesFile = new URL('../../../services/web/dashboard/pages/tenant-pages.ts', import.meta.url);
/** Which have stories of their own: they show something that must be made first. */
const ofSomethingMade = /:(session|version|number|call|trunk|delivery)/;
/** From the heading on: past what a page offers first. */
const keyPresses = 12;

/** The paths of all pages that can be looked at with nothing but an agent. */
async function paths(): Promise<string[]> {
  const all = [...(await readFile(pagesFile, 'utf8')).matchAll(/path: '([^']*)'/g)].map(([, path = '']) => path);
  return all.filter((path) => !ofSomethingMade.test(path)).map((path) => path.replace(':agent', 'echo'));
}

const isPastTheEnd = (page: Page): Promise<boolean> => page.evaluate(() => document.activeElement === document.body);

/** Pages are tried one by one in other stories; this is what all of them owe to whoever reads German on a telephone. */
export const everyPageStory = (opened: () => Dashboard) =>
  test('every page can be read in German, in the dark, on a telephone, and shows where the keyboard is', async () => {
    const { world } = opened();
    const all = await paths();
    expect(all.length).toBeGreaterThan(15);
    const { page, complaints } = await opened().openSignedIn('/t/local', {
      ...{ viewport: { width: 360, height: 720 }, colorScheme: 'dark', locale: 'de-DE' },
    });
    await page.getByRole('heading', { level: 1, name: 'Anmelden' }).waitFor({ state: 'detached' });
    const tooWide: string[] = [];
    for (const path of all) {
      await page.goto(`${world.baseUrl}/t/local${path}`);
      await page.getByRole('heading', { level: 1 }).waitFor();
      await page.locator('.skeleton').first().waitFor({ state: 'detached' });
      expect(await page.locator('html').getAttribute('lang')).toBe('de');
      if (await isWiderThanWindow(page)) tooWide.push(path);
      expect(await axeFindings(page), path).toEqual([]);
      expect(await barriersOn(page), path).toEqual([]);
      for (let presses = 0; presses < keyPresses; presses += 1) {
        await page.keyboard.press('Tab');
        if (await isPastTheEnd(page)) break;
        expect(await showsFocus(page), `${path || '/'}, stop ${presses}`).toBe(true);
      }
    }
    expect(tooWide).toEqual([]);
    expect(complaints).toEqual([]);
    await page.context().close();
  });
