import type { Variables } from './variables.ts';

/** Where programs, certificates, proxies and temporary files are, and which language the system speaks. */
const names =
  /^(?:PATH|HOME|USER|LOGNAME|SHELL|TERM|TZ|LANG|LANGUAGE|TMPDIR|LC_.*|XDG_.*|SSL_CERT_.*|NODE_.*|(?:HTTPS?|NO|ALL)_PROXY)$/i;

/** What any program needs of its surroundings, and nothing that somebody has set for another one. */
export const ofSystem = (env: Variables): Record<string, string | undefined> =>
  Object.fromEntries(Object.entries(env).filter(([name]) => names.test(name)));
