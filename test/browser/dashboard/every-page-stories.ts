import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { sql } from '../../../services/store/sql.ts';
import { storeCall } from '../../support/databases/stored-call.ts';
import { axeFindings, barriersOn, isWiderThanWindow, showsFocus } from '../accessibility.ts';
import type { Dashboard } from './dashboard.ts';
import { makeDelivery, makeNumber, makeTrunk } from './made.ts';

const pagesFile = new URL('../../../services/web/dashboard/pages/tenant-pages.ts', import.meta.url);
/** Where people look at them: kept until the next run. */
const pictures = join(import.meta.dirname, '../../../.parley/pictures/dashboard');
const onPhone = { viewport: { width: 360, height: 720 }, colorScheme: 'dark', locale: 'de-DE' } as const;
const onDesk = { viewport: { width: 1280, height: 800 }, colorScheme: 'light' } as const;
/** From the heading on: past what a page offers first. */
const keyPresses = 12;
/** With a token that opens nothing: the forms are there. */
const signedOut = ['/sign-in', '/invitation', '/invitation#inv_none', '/reset-password', '/reset-password#reset_none'];

interface Looked {
  name: string;
  path: string;
}

/** All pages of the tenant, with something made for each that shows one thing. */
async function signedIn(dashboard: Dashboard): Promise<Looked[]> {
  const { world } = dashboard;
  const number = '+4930123999';
  const trunk = await makeTrunk(world, 'the carrier of every page');
  await makeNumber(world, { number, trunk });
  const [agent] = await world.admin.query<{ version_hash: string }>(
    sql`select version_hash from agents where tenant_id = ${world.tenant} and agent = 'echo'`,
  );
  const made: Record<string, string> = {
    agent: 'echo',
    version: agent?.version_hash.slice(0, 12) ?? '',
    session: await dashboard.holdConversation(),
    number: encodeURIComponent(number),
    trunk,
    call: await storeCall({ db: world.admin, tenant: world.tenant }, { from: number, to: '+4940987654', trunk }),
    delivery: await makeDelivery(world),
  };
  const paths = [...(await readFile(pagesFile, 'utf8')).matchAll(/path: '([^']*)'/g)].map(([, path = '']) => path);
  const shown = (path: string) => path.replace(/:(\w+)/g, (_, name: string) => made[name] ?? `:${name}`);
  const ofTenant = paths.map((path) => ({ name: nameOf(path), path: `/t/local${shown(path)}` }));
  return [{ name: 'account', path: '/account' }, ...ofTenant];
}

const nameOf = (path: string): string => path.replace(/^\//, '').replace(/\W+/g, '-') || 'overview';

const isPastTheEnd = (page: Page): Promise<boolean> => page.evaluate(() => document.activeElement === document.body);

/** What every page owes to whoever reads German on a telephone; and its picture there, and on a desk in the light. */
async function judge(page: Page, url: string, name: string): Promise<void> {
  // From anywhere else: an address that differs behind the # only loads nothing.
  await page.goto('about:blank');
  await page.goto(url);
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page.locator('.skeleton').first().waitFor({ state: 'detached' });
  expect(await page.locator('html').getAttribute('lang'), name).toBe('de');
  expect([name, await isWiderThanWindow(page)]).toEqual([name, false]);
  expect(await axeFindings(page), name).toEqual([]);
  expect(await barriersOn(page), name).toEqual([]);
  await page.screenshot({ path: join(pictures, `${name}-phone-dark.png`) });
  for (let presses = 0; presses < keyPresses; presses += 1) {
    await page.keyboard.press('Tab');
    if (await isPastTheEnd(page)) break;
    expect(await showsFocus(page), `${name}, stop ${presses}`).toBe(true);
  }
  await shownAs(page, onDesk);
  await page.screenshot({ path: join(pictures, `${name}-desk-light.png`) });
  await shownAs(page, onPhone);
}

async function shownAs(page: Page, { viewport, colorScheme }: Pick<BrowserContextOptions, 'viewport' | 'colorScheme'>) {
  if (viewport) await page.setViewportSize(viewport);
  await page.emulateMedia({ colorScheme: colorScheme ?? null });
}

/** Some thirty pages, each loaded, judged and pictured: half a minute on a machine of its own, many on a busy one. */
const testTimeoutMs = 15 * 60_000;

/** Pages are tried one by one in other stories; this is what all of them owe. */
export const everyPageStory = (opened: () => Dashboard) =>
  test(
    'every page can be read in German, in the dark, on a telephone, and shows where the keyboard is',
    async () => {
      const { world } = opened();
      await mkdir(pictures, { recursive: true });
      const { page: out, complaints: ofOut } = await opened().open('/sign-in', onPhone);
      for (const path of signedOut) await judge(out, `${world.baseUrl}${path}`, nameOf(path));
      await out.context().close();

      const all = await signedIn(opened());
      expect(all.length).toBeGreaterThan(25);
      const { page, complaints } = await opened().openSignedIn('/t/local', onPhone);
      await page.getByRole('heading', { level: 1, name: 'Anmelden' }).waitFor({ state: 'detached' });
      for (const { name, path } of all) await judge(page, `${world.baseUrl}${path}`, name);
      expect([...ofOut, ...complaints]).toEqual([]);
      await page.context().close();
    },
    testTimeoutMs,
  );
