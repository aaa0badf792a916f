import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import { Customer } from '../../support/people/customer.ts';
import { Person } from '../../support/people/person.ts';
import { GitRemote } from '../../support/stand-ins/git-remote.ts';
import { ownPorts, Started } from '../../support/world/started.ts';

const repository = join(import.meta.dirname, '../../..');
const run = promisify(execFile);
const minutesMs = 60_000;

let data: string;

beforeAll(async () => {
  data = await mkdtemp(join(tmpdir(), 'parley-from-git-'));
});

afterAll(() => rm(data, { recursive: true, force: true }));

test(
  'npm start with a repository of agents runs what is pushed there, as README says',
  async () => {
    await using remote = await GitRemote.create();
    const author = await remote.person();
    await author.copyIn(join(repository, 'agents'), 'agents');
    await author.commit('Our agents');
    await author.push();
    const args = [...(await ownPorts()), '--data', data, '--agent-hosts', '1'];
    await using start = new Started(repository, args, { PARLEY_AGENTS_GIT_URL: remote.url });
    const { baseUrl, agents } = await start.ready(data);
    const customer = new Customer(baseUrl, agents.restaurant?.apiKey ?? '');
    const greeting = async () => {
      const session = await customer.createSession({ interactionMode: 'TEXT' });
      await using person = await Person.join(session);
      const { text } = await person.hears(/./);
      await customer.endSession(session.sessionId);
      return text;
    };
    const before = await greeting();
    const file = join('agents', 'restaurant.yaml');
    const text = await readFile(join(author.folder, file), 'utf8');
    await author.write(file, text.replace(/greeting: >-\n(?: {6}.*\n)+/, 'greeting: Hello from the repository.\n'));
    await author.commit('Another greeting');
    await author.push();
    await eventually('what was pushed is live', async () => (await greeting()) === 'Hello from the repository.', {
      withinMs: 60_000,
    });
    expect(before).not.toBe('Hello from the repository.');
    await remote.vanish();
    await eventually('it is told', () =>
      start.output.includes(`The agents cannot be read from ${remote.url} main:agents`),
    );
    const { stdout } = await run('npx', ['parley', 'agents', 'revisions', '--data', data], { cwd: repository });
    expect(stdout).toMatch(/since then .* main:agents cannot be read; what is live stays live\n +git /);
    await remote.comeBack();
    await eventually('it is back', () => start.output.includes('The agents can be read again.'));
    expect(await greeting()).toBe('Hello from the repository.');
    await start.interrupt();
    await start.exited;
  },
  10 * minutesMs,
);
