import { join } from 'node:path';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';

interface Look {
  /** Behind the picture's name; the first look has none. */
  suffix: string;
  options: BrowserContextOptions;
}

const desk = { width: 1280, height: 800 };

export const looks: Look[] = [
  { suffix: '', options: { viewport: desk, deviceScaleFactor: 2, colorScheme: 'light' } },
  { suffix: '-dark', options: { viewport: desk, colorScheme: 'dark' } },
  {
    suffix: '-phone',
    options: {
      viewport: { width: 390, height: 844 },
      deviceScaleFactor: 2,
      colorScheme: 'light',
      hasTouch: true,
      isMobile: true,
    },
  },
];

interface PictureDeps {
  browser: Browser;
  baseUrl: string;
  email: string;
  password: string;
  folder: string;
}

/** Signs in, and takes a picture of each page worth one. */
export async function takePictures(
  { browser, baseUrl, email, password, folder }: PictureDeps,
  { suffix, options }: Look,
): Promise<void> {
  const context = await browser.newContext({ ...options, reducedMotion: 'reduce', timezoneId: 'Europe/Berlin' });
  const page = await context.newPage();
  const take = (name: string) => page.screenshot({ path: join(folder, `${name}${suffix}.png`) });

  await page.goto(`${baseUrl}/sign-in`);
  await page.getByLabel('Email').fill(email);
  await take('sign-in');
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('region', { name: 'Response time' }).locator('canvas').waitFor({ state: 'attached' });
  await take('overview');
  await page.goto(`${baseUrl}/t/local/live`);
  await page.locator('.row-link').first().waitFor();
  await take('live');
  await page.goto(`${baseUrl}/t/local/sessions`);
  await page.locator('.row-link').first().waitFor();
  await take('sessions');
  await openConversation(page, baseUrl);
  await take('session');
  await page.goto(`${baseUrl}/t/local/agents`);
  await page.locator('.row-link').first().click();
  await page.getByRole('region', { name: 'Tools' }).waitFor();
  await take('agent');
  await page.getByRole('link', { name: 'Credentials' }).click();
  await page.getByRole('region', { name: 'API key' }).waitFor();
  await take('credentials');
  await page.goto(`${baseUrl}/t/local/webhook`);
  await page.getByText('There are no deliveries').waitFor();
  await take('webhook');
  await page.goto(`${baseUrl}/t/local/members`);
  await page.getByRole('rowheader').first().waitFor();
  await page.getByRole('button', { name: 'Invite somebody' }).click();
  await take('members');
  await page.goto(`${baseUrl}/t/local/capabilities`);
  await page.locator('.badge').first().waitFor();
  await take('capabilities');
  await context.close();
}

/** The one with the most in it. */
async function openConversation(page: Page, baseUrl: string): Promise<void> {
  await page.goto(`${baseUrl}/t/local/sessions?agent=restaurant`);
  await page.locator('.row-link').first().click();
  await page.locator('.line').first().waitFor();
}
