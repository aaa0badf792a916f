import { type Browser, type BrowserContext, type BrowserContextOptions, chromium } from 'playwright-core';
import { readSettings } from '../../services/settings/read.ts';
import { patienceMs } from '../support/eventually.ts';

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
export const openBrowser = ({ microphone }: { microphone?: string } = {}): Promise<Browser> =>
  chromium.launch({
    executablePath: readSettings('tests', process.env).chromium,
    headless: true,
    args: [...flags, ...(microphone ? microphoneFlags(microphone) : [])],
  });

/** A visitor of its own, whose pages are waited for as long as everything else. */
export async function openContext(browser: Browser, options?: BrowserContextOptions): Promise<BrowserContext> {
  const context = await browser.newContext(options);
  context.setDefaultTimeout(patienceMs);
  return context;
}

/** The microphone plays this WAV file once, and nobody is asked whether the page may use it. */
const microphoneFlags = (file: string) => [
  '--use-fake-device-for-media-stream',
  '--use-fake-ui-for-media-stream',
  `--use-file-for-fake-audio-capture=${file}%noloop`,
  '--autoplay-policy=user-gesture-required',
];
