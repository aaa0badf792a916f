import { spawn } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { alertsFor } from '../../infra/monitoring/alerts.ts';
import { dashboardFor } from '../../infra/monitoring/dashboard.ts';
import { planTenant } from '../../infra/plan.ts';
import { roomConfiguration } from '../../infra/room-configuration.ts';
import { freeTcpPort, freeUdpPort } from '../../scripts/toolchain/ports.ts';
import { roomServerPath } from '../../scripts/toolchain/room-server.ts';
import { eventually } from '../support/eventually.ts';
import { startWorld, type World } from '../support/world/world.ts';
import { kubernetesTenant } from './support/tenants.ts';

const namespace = 'parley-acme';
const alerts = alertsFor(namespace, true);
const expressions = [
  ...alerts.map(({ expr }) => expr),
  ...dashboardFor('acme', namespace, true).panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)),
];
/** Told by others in the cluster: kube-state-metrics, CloudNativePG and the SIP bridge. */
const ofOthers = /^(kube|cnpg|livekit_sip)_/;

let world: World;
/** What our processes and the room server tell, by name: the labels of each. */
let told: Map<string, Set<string>>;

beforeAll(async () => {
  world = await startWorld();
  // Some figures have labels only once something has happened.
  const customer = await world.customer();
  const { sessionId } = await customer.createSession();
  await customer.endSession(sessionId);
  const ours = [...world.apis, ...world.hosts, ...world.workers].map(({ internalPort }) => figuresAt(internalPort));
  told = new Map((await Promise.all([...ours, figuresOfRoomServer()])).flatMap((figures) => [...figures]));
});

afterAll(() => world?.[Symbol.asyncDispose]());

async function figuresAt(port: number): Promise<Map<string, Set<string>>> {
  const answer = await fetch(`http://127.0.0.1:${port}/metrics`);
  if (!answer.ok) throw new Error(`/metrics answered ${answer.status}`);
  return figuresIn(await answer.text());
}

function figuresIn(text: string): Map<string, Set<string>> {
  const names = [...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name = '']) => name);
  const figures = new Map(names.map((name) => [name, new Set<string>()]));
  for (const [, series = '', labels = ''] of text.matchAll(/^([a-z_0-9]+)\{([^}]*)\}/gm)) {
    const name = figures.has(series) ? series : series.replace(/_(bucket|count|sum)$/, '');
    for (const [, label = ''] of labels.matchAll(/([a-z_]+)="/g)) figures.get(name)?.add(label);
  }
  return figures;
}

/** With the configuration that a stack gives it, as far as this machine's one address allows. */
async function figuresOfRoomServer(): Promise<Map<string, Set<string>>> {
  const plan = planTenant(kubernetesTenant());
  const configuration = parse(roomConfiguration(plan, { key: 'key', secret: 'x'.repeat(48), cacheUrl: undefined }));
  const metrics = await freeTcpPort();
  const folder = await mkdtemp(join(tmpdir(), 'parley-rooms-'));
  const file = join(folder, 'livekit.yaml');
  const rtc = { ...configuration.rtc, udp_port: await freeUdpPort(), tcp_port: 0, use_external_ip: false };
  const here = { port: await freeTcpPort(), bind_addresses: ['127.0.0.1'], prometheus: { port: metrics }, rtc };
  await writeFile(file, stringify({ ...configuration, ...here }));
  const server = spawn(await roomServerPath(() => undefined), ['--config', file, '--node-ip', '127.0.0.1'], {
    stdio: 'ignore',
  });
  try {
    return await eventually('the room server tells its figures', () => figuresAt(metrics));
  } finally {
    server.kill('SIGKILL');
    await rm(folder, { recursive: true });
  }
}

/** Names of series in a PromQL expression, without the endings that a histogram adds. */
function seriesIn(expression: string): string[] {
  const names = expression.match(/\b[a-z]+_[a-z0-9_]+(?=[{[])/g) ?? [];
  return names.map((name) => (told.has(name) ? name : name.replace(/_(bucket|count|sum)$/, '')));
}

test('every figure that an alert or a panel asks for is told by a process', () => {
  const asked = [...new Set(expressions.flatMap(seriesIn))].filter((name) => !ofOthers.test(name));
  expect(asked.length).toBeGreaterThan(10);
  expect(asked.filter((name) => !told.has(name))).toEqual([]);
});

test('figures are asked for by labels that they have', () => {
  const strangers = expressions.flatMap((expression) =>
    [...expression.matchAll(/\b([a-z]+_[a-z0-9_]+)\{([^}]*)\}/g)].flatMap(([, series = '', filters = '']) => {
      const [name = ''] = seriesIn(`${series}{`);
      const labels = [...filters.matchAll(/([a-z_]+)=~?"/g)].map(([, label = '']) => label);
      const known = told.get(name);
      // Those that say where a process runs are Prometheus' own; a figure that was not yet counted has no labels to compare.
      return known?.size ? labels.filter((label) => label !== 'namespace' && !known.has(label)) : [];
    }),
  );
  expect(strangers).toEqual([]);
});

test('every alert has a page that says what to do, and no page is without an alert', async () => {
  const folder = join(import.meta.dirname, '../../docs/runbooks');
  const pages = (await readdir(folder)).filter((name) => name !== 'README.md');
  expect(pages.sort()).toEqual(alerts.map(({ alert }) => `${alert}.md`).sort());
  for (const page of pages) {
    const text = await readFile(join(folder, page), 'utf8');
    expect(text, page).toMatch(/## What customers notice\n[\s\S]+## What to look at\n[\s\S]+## What to do\n/);
  }
});
