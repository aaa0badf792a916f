import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import { Customer } from '../../support/people/customer.ts';
import { openPythonClient, type PythonClient } from '../../support/people/python-client.ts';
import { ask } from '../../support/people/rest.ts';
import { type Connection, ownPorts, Started } from '../../support/world/started.ts';

const run = promisify(execFile);
const minutesMs = 60_000;

let parent: string;
let clone: string;
let ports: string[];
let python: PythonClient;

beforeAll(async () => {
  parent = await mkdtemp(join(tmpdir(), 'parley-clone-'));
  clone = join(parent, 'parley');
  await run('git', ['clone', '--quiet', join(import.meta.dirname, '../../..'), clone]);
  [ports, python] = await Promise.all([ownPorts(), openPythonClient()]);
}, 10 * minutesMs);

afterAll(() => rm(parent, { recursive: true, force: true }));

function customer({ baseUrl, agents }: Connection, agent: string): Customer {
  return new Customer(baseUrl, agents[agent]?.apiKey ?? '');
}

/** Ctrl-C, and what must be true when the terminal is given back. */
async function interrupt(start: Started): Promise<void> {
  await start.interrupt();
  expect(await start.remaining()).toEqual([]);
  await start.exited;
  expect(start.output).toMatch(/Stopping …\n(.*\n)*Stopped\.\n$/);
}

/** By the link that the terminal shows; then by the password that an operator sets. */
async function signInAsDeveloper({ output, folder }: Started, { baseUrl }: Connection): Promise<void> {
  const [, token = ''] = new RegExp(`Dashboard +${baseUrl}/sign-in#(link_\\S+)`).exec(output) ?? [];
  const { body, text } = await ask(baseUrl, 'POST', '/auth/link', { body: { token } });
  const me = await ask(baseUrl, 'GET', '/api/me', { key: String(body.accessToken) });
  expect(me.body, text).toMatchObject({ tenants: [{ slug: 'local', role: 'owner' }] });
  const { email } = me.body.person as { email: string };
  const printed = await run('npx', ['parley', 'people', 'reset-password', email], { cwd: folder });
  const password = /^Password +(\S+)$/m.exec(printed.stdout)?.[1];
  const signedIn = await ask(baseUrl, 'POST', '/auth/sign-in', { body: { email, password } });
  expect([signedIn.status, signedIn.body.person], signedIn.text).toEqual([200, me.body.person]);
}

/** The second test goes on where the first stopped: its data is what must be found again. */
let firstConnection: Connection;
let firstSession: string;

test(
  'one command in a fresh clone leads to a conversation, and Ctrl-C leaves nothing behind',
  async () => {
    await using start = new Started(clone, ports);
    firstConnection = await start.ready();
    expect((await stat(join(clone, '.parley', 'connection.json'))).mode & 0o777).toBe(0o600);
    expect(start.output).toContain(`${firstConnection.baseUrl}/try`);
    for (const { apiKey } of Object.values(firstConnection.agents)) expect(start.output).toContain(apiKey);
    const secrets = Object.values(
      JSON.parse(await readFile(join(clone, '.parley', 'secrets.json'), 'utf8')) as string[],
    );
    const environments = await start.environments('services/');
    expect(environments).toHaveLength(4);
    expect(environments.filter((one) => secrets.some((secret) => one.includes(secret)))).toEqual([]);

    await signInAsDeveloper(start, firstConnection);
    const restaurant = customer(firstConnection, 'restaurant');
    const session = await restaurant.createSession({ interactionMode: 'TEXT' });
    firstSession = session.sessionId;
    const booking = 'A table for 4 people tomorrow at 19:30, my name is Ada Lovelace';
    const replies = await python.speakAtOnce(session, [booking], 2);
    expect(replies.join('\n')).toMatch(/reference is B-/);
    expect(await restaurant.endSession(session.sessionId)).toMatchObject({ status: 'ended' });

    await interrupt(start);
  },
  15 * minutesMs,
);

test(
  'after kill -9 of the launcher a start works and finds its data',
  async () => {
    await using killed = new Started(clone, ports);
    expect(await killed.ready()).toEqual(firstConnection);
    await killed.killLauncher();

    await using start = new Started(clone, ports);
    expect(await start.ready()).toEqual(firstConnection);
    expect(await killed.marked()).toEqual([]);
    const restaurant = customer(firstConnection, 'restaurant');
    expect((await restaurant.call('GET', `/api/sessions/${firstSession}`)).status).toBe(409);
    const session = await restaurant.createSession({ interactionMode: 'TEXT' });
    expect((await python.speakAtOnce(session, ['Hello'], 2)).join('\n')).toMatch(/book a table/);

    await interrupt(start);
  },
  15 * minutesMs,
);

test(
  "a missing key, a mistake in an agent's file and a folder that is gone are told in the terminal, until they are mended",
  async () => {
    const file = join(clone, 'agents', 'support.yaml');
    const recognition = '[{ provider: deepgram, apiKey: { env: NOBODY_SETS_THIS } }, { provider: local }]';
    const text = `${await readFile(file, 'utf8')}\nspeech: { recognition: ${recognition} }\n`;
    await writeFile(file, text);
    await using start = new Started(clone, ports, { PARLEY_AGENT_VARIABLES: 'NOBODY_SETS_THIS' });
    await start.ready();
    expect(start.output).toContain(
      'support: Recognition by deepgram needs a key, and NOBODY_SETS_THIS is not set here.',
    );
    await writeFile(file, text.replace(/^name:/m, 'nam:'));
    await eventually('it is told', () => start.output.includes('There is no field "nam". Did you mean "name"?'));
    expect(start.output).toMatch(/^ {2}agents\/support\.yaml:\d+:1 {2}There is no field "nam"/m);
    await writeFile(file, text);
    await eventually('all is well again', () => start.output.includes("The agents' files are live as they are now."));

    await rename(join(clone, 'agents'), join(clone, 'moved'));
    await eventually('it is told', () => start.output.includes('The folder does not exist; create it'));
    await rename(join(clone, 'moved'), join(clone, 'agents'));
    await eventually(
      'they are back',
      () => start.output.split("The agents' files are live as they are now.").length === 3,
    );
    await interrupt(start);
  },
  15 * minutesMs,
);

test(
  'a start of a folder that already runs says so',
  async () => {
    await using start = new Started(clone, ports);
    await start.ready();
    await using second = new Started(clone, ports);
    expect(await second.exited).toBe(1);
    expect(second.output).toMatch(/Parley already runs here \(process \d+\)/);
    await interrupt(start);
  },
  15 * minutesMs,
);
