import { type Browser, chromium } from 'playwright-core';

const flags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** A real Chromium: the one that PARLEY_CHROMIUM names, or Debian's. */
export const openBrowser = (): Promise<Browser> =>
  chromium.launch({ executablePath: process.env.PARLEY_CHROMIUM ?? '/usr/bin/chromium', headless: true, args: flags });
