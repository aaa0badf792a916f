import { aText, aWholeNumber } from '../../process/environment.ts';
import { optional, setting } from '../setting.ts';

/** For who works on the repository. */
export const development = {
  cacheFolder: setting({
    name: 'PARLEY_CACHE_DIR',
    readBy: { toolchain: optional },
    holds: 'a folder that can be written',
    parse: aText,
    otherwise: '`parley` in `$XDG_CACHE_HOME`, else in `~/.cache`',
    says: 'Where programs that are fetched or built are kept for every checkout.',
  }),
  chromium: setting({
    name: 'PARLEY_CHROMIUM',
    readBy: { tests: '/usr/bin/chromium' },
    holds: 'the path of a Chromium',
    parse: aText,
    says: 'The browser of the browser tests.',
  }),
  generatedRequests: setting({
    name: 'PARLEY_TEST_REQUESTS',
    readBy: { tests: 4_000 },
    holds: 'a number of requests',
    parse: aWholeNumber(1, 1_000_000),
    says: 'How many requests the test of bad input makes.',
  }),
};
