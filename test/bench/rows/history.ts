import { buildPage } from '../../../scripts/build-pages.ts';
import type { AccountRoute } from '../../../services/core/account/routes.ts';
import { accountRoutes } from '../../../services/core/account/routes.ts';
import { openDatabase } from '../../../services/store/database.ts';
import { bytesSent } from '../../browser/bytes-sent.ts';
import { openBrowser, openContext } from '../../browser/chromium.ts';
import { invitation, openPeople, password, Visitor } from '../../support/people/account.ts';
import { peopleKeys } from '../../support/world/master-keys.ts';
import { startWorld, type World } from '../../support/world/world.ts';
import { fill, type Sizes } from '../history/fill.ts';
import { hasMemoryAccounts, memoryOf } from '../memory.ts';
import type { Figure, Measured, Row, RowOptions } from '../row.ts';
import { oneFigure, quantile } from '../statistics.ts';

const full: Sizes = { sessions: 1_000_000, rolledUp: 20_000_000, days: 100, hours: 7 * 24 };
const small: Sizes = { sessions: 2_000, rolledUp: 40_000, days: 3, hours: 24 };

/** Persons who share the requests: each may make 180 a minute. */
const persons = 12;
const warming = 3;
const asked = { full: 30, smoke: 2 };
const fillTimeoutMs = 1_800_000;

/** What pages of the dashboard ask for, of a tenant that has much. */
export const history: Row = {
  name: 'history',
  title: 'Pages over 1 000 000 conversations',
  against: 'a fixed limit',
  limitMinutes: 45,
  missing: async () => ((await hasMemoryAccounts()) ? undefined : 'this system does not tell what a process holds'),
  run: async (options) => {
    const sizes = options.smoke ? small : full;
    await buildPage('dashboard');
    await using world = await startWorld({
      ...{ hosts: 0, workers: 0, ownPostgres: { settings: { 'parley.check_keys': 'off' } } },
      settings: { peopleKeys, trustProxyHops: 1 },
    });
    const admin = openDatabase(world.adminUrl, { queryTimeoutMs: fillTimeoutMs });
    try {
      const began = performance.now();
      await fill(admin, world.tenant, sizes, options.say);
      options.say(`filled in ${Math.round((performance.now() - began) / 1000)} s`);
    } finally {
      await admin.close();
    }
    // Awaited here, because the world ends with this function.
    return await measure(world, sizes, options);
  },
};

async function measure(world: World, sizes: Sizes, { smoke, say }: RowOptions): Promise<Measured> {
  const viewers = await invited(world);
  const figures: Figure[] = [];
  for (const path of paths(world.tenant)) {
    const p95 = await p95Of(viewers, path, smoke ? asked.smoke : asked.full);
    say(`${p95.toFixed(0)} ms ${path}`);
    const target = { text: '≤ 200 ms', atMost: 200 };
    figures.push(oneFigure({ name: path.replace(world.tenant, '…'), unit: 'ms', target }, p95));
  }
  return {
    figures: [...figures, await firstPage(world), ...(await exported(world, viewers, say))],
    notes: [
      `${sizes.sessions} sessions and ${sizes.sessions * 2} messages of 90 days, ten agents of two versions; roll-ups of ${sizes.days} days and ${sizes.hours} hours as for ${sizes.rolledUp} conversations of 240 kinds. All of it was made in SQL; nothing else is in the tenant.`,
      `The 95th percentile of ${smoke ? asked.smoke : asked.full} requests, one after the other, with a person's token, as a client of the API sees it. PostgreSQL is as it comes (128 MB of shared buffers), without fsync, on the same cores.`,
    ],
  };
}

const emailOf = (n: number): string => `person${n}@example.com`;

async function invited(world: World): Promise<Visitor[]> {
  const people = openPeople(world.serviceUrl);
  try {
    const viewers: Visitor[] = [];
    for (let n = 0; n < persons; n += 1) {
      const viewer = new Visitor([world.baseUrl], `203.0.113.${n}`);
      await viewer.accept(await invitation(people, world.tenant, emailOf(n), 'owner'), 'Ada');
      viewers.push(viewer);
    }
    return viewers;
  } finally {
    await people.close();
  }
}

/** What is there to be named in a path; of anything else, trunks say, this tenant has none. */
const named: Readonly<Record<string, string>> = { session: `s_${'1500'.padStart(22, '0')}`, agent: 'echo' };

/** Every route that reads, as the table has it, and the filters that ask most of the lists. */
function paths(tenant: string): string[] {
  const routes: readonly AccountRoute[] = accountRoutes;
  const plain = routes
    .filter(({ method, who, path }) => method === 'GET' && who !== 'anybody' && !path.endsWith('/live'))
    .map(({ path }) => path.replace(/:(\w+)/g, (whole, name: string) => ({ ...named, tenant })[name] ?? whole))
    .filter((path) => !path.includes(':'));
  const lists = filters.map((filter) => `/api/tenants/${tenant}/sessions?${filter}`);
  const analytics = questions().map((question) => `/api/tenants/${tenant}/analytics?${question}`);
  return [...plain, ...lists, ...analytics];
}

const filters = [
  ...[
    'limit=100',
    'agent=agent-3',
    'outcome=failed',
    'outcome=failed&agent=agent-7',
    'outcome=transferred',
    'channel=phone',
  ],
  ...[
    'toolFailed=true&sentiment=negative',
    'endReason=idle_timeout&mode=VOICE',
    'endReason=room_lost',
    'test=true',
    'status=running',
  ],
  ...['words=heliotrope', 'words=hello', 'words=word17%20word18', 'words=nobody', 'words=hello&outcome=failed'],
];

const questions = (): string[] => {
  const ago = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();
  return [
    `from=${ago(99)}`,
    `from=${ago(99)}&agent=agent-3`,
    `from=${ago(99)}&language=de`,
    `from=${ago(99)}&language=de&mode=VOICE`,
    `bucket=hour&from=${ago(6)}`,
  ];
};

async function p95Of(viewers: readonly Visitor[], path: string, count: number): Promise<number> {
  const tookMs: number[] = [];
  for (let n = 0; n < count + warming; n += 1) {
    const began = performance.now();
    const answer = await viewers[n % viewers.length]?.ask('GET', path);
    if (n >= warming) tookMs.push(performance.now() - began);
    if (answer?.status !== 200) throw new Error(`${path} answered ${answer?.status}: ${answer?.text.slice(0, 200)}`);
  }
  return quantile(tookMs, 0.95);
}

/** The overview, as a browser has it that comes for the first time, and signs in. */
async function firstPage(world: World): Promise<Figure> {
  const browser = await openBrowser();
  try {
    const page = await (await openContext(browser)).newPage();
    await page.goto(`${world.baseUrl}/t/local`);
    await page.locator('input[type=email]').fill(emailOf(0));
    await page.locator('input[type=password]').fill(password);
    await page.keyboard.press('Enter');
    await page.locator('canvas').first().waitFor({ state: 'attached' });
    await page.waitForLoadState('networkidle');
    const target = { text: '≤ 150 kB', atMost: 150 };
    return oneFigure(
      { name: 'files of the first page of the dashboard, as they are sent', unit: 'kB', target },
      (await bytesSent(page)) / 1_000,
    );
  } finally {
    await browser.close();
  }
}

async function exported(world: World, [viewer]: readonly Visitor[], say: RowOptions['say']): Promise<Figure[]> {
  const [api] = world.apis;
  if (!viewer || !api) throw new Error('nobody is there to export');
  const ticket = await viewer.ask('POST', `/api/tenants/${world.tenant}/exports?format=csv`);
  const before = await memoryOf(api.pid);
  const began = performance.now();
  const response = await fetch(`${world.baseUrl}${ticket.body.url}`);
  let [bytes, lines, most, chunks] = [0, -1, before.rss, 0];
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    lines += Buffer.from(chunk).filter((byte) => byte === 0x0a).length;
    chunks += 1;
    if (chunks % 100 === 0) most = Math.max(most, (await memoryOf(api.pid)).rss);
  }
  const seconds = (performance.now() - began) / 1000;
  say(`${lines} lines, ${Math.round(bytes / 1e6)} MB in ${seconds.toFixed(0)} s`);
  const target = { text: '≤ 100 MB', atMost: 100 };
  return [
    oneFigure({ name: `export of ${lines} conversations as CSV, ${Math.round(bytes / 1e6)} MB`, unit: 's' }, seconds),
    oneFigure({ name: 'the API process grew meanwhile by at most', unit: 'MB', target }, most - before.rss),
  ];
}
