import { createHmac } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from '../../../services/store/sql.ts';
import { eventually } from '../../support/eventually.ts';
import { Customer } from '../../support/people/customer.ts';
import { Person } from '../../support/people/person.ts';
import { type GitPerson, GitRemote } from '../../support/stand-ins/git-remote.ts';
import { startWorld, type World } from '../../support/world/world.ts';
import type { Measured, Row, RowOptions } from '../row.ts';
import { figureOf } from '../statistics.ts';
import { type People, startPeople } from './people.ts';

const sizes = {
  full: { scenarios: 50, conversations: 50, everyMs: 20_000 },
  smoke: { scenarios: 3, conversations: 4, everyMs: 2_000 },
};
const entriesAtOnce = 4;
const pushSecret = 'shared-with-the-git-host';
const pollSeconds = 5;

/** From `git push` to conversations of the new version at every API process and agent host, while others go on. */
export const mergeToLive: Row = {
  name: 'merge-to-live',
  title: 'A merge: from `git push` to live everywhere',
  against: 'a fixed limit',
  limitMinutes: 10,
  run: async (options) => {
    const size = options.smoke ? sizes.smoke : sizes.full;
    await using remote = await GitRemote.create();
    const author = await remote.person();
    await author.copyIn(new URL('../../agents/', import.meta.url).pathname, 'agents');
    const echo = await readFile(join(author.folder, 'agents/echo.yaml'), 'utf8');
    await author.write('agents/scenarios/echo.yaml', scenarioFile(size.scenarios));
    await author.commit('The agent and its scenarios');
    await author.push();
    await using world = await startWorld({
      hosts: 2,
      apis: 2,
      workers: 2,
      settings: {
        agentsFolder: undefined,
        repository: { url: remote.url, pollSeconds, pushSecretEnv: 'HOOK_SECRET' },
      },
      env: { HOOK_SECRET: pushSecret },
    });
    await using people = await startPeople();
    await enter(people, world, size.conversations);
    return await measure({ world, author, echo, people, size }, options);
  },
};

interface Parts {
  world: World;
  author: GitPerson;
  /** The agent's file. */
  echo: string;
  /** Who talks all the time. */
  people: People;
  size: (typeof sizes)['full'];
}

/** Half of them come by each API process, and all stay. */
async function enter(people: People, world: World, conversations: number): Promise<void> {
  const { apiKey } = await world.credentials('echo');
  const count = conversations / world.apis.length;
  for (const { port } of world.apis) {
    const door = { kind: 'parley', baseUrl: `http://127.0.0.1:${port}`, apiKey } as const;
    const { lost } = await people.call('enter', { door, count, atOnce: entriesAtOnce });
    if (lost > 0) throw new Error(`${lost} of ${count} people were not answered`);
  }
}

const scenarioFile = (count: number): string =>
  [
    'scenarios:',
    ...Array.from({ length: count }, (_, index) =>
      [
        `  - name: it repeats ${index}`,
        '    turns:',
        `      - say: word ${index}`,
        `        expect: { text: "You said: word ${index}" }`,
        '      - say: goodbye',
        '        expect: { ended: true }',
      ].join('\n'),
    ),
    '',
  ].join('\n');

interface Round {
  /** Seconds from the push to the end of the activation, and to the last process that served it. */
  activated: number;
  live: number;
  /** Texts without an answer in the conversations that went on. */
  lost: number;
}

async function measure(parts: Parts, { pairs, say }: RowOptions): Promise<Measured> {
  const { people, size } = parts;
  const rounds: Round[] = [];
  for (let round = 1; round <= pairs; round += 1) {
    // Everybody writes once in it, spread evenly: the merge falls into the first fifth.
    const talking = people.call('talk', { talkers: size.conversations, texts: 1, everyMs: size.everyMs });
    const one = await merge(parts, `Welcome to edition ${round}.`);
    rounds.push({ ...one, lost: (await talking).lost });
    say(`activated after ${one.activated.toFixed(2)} s, live everywhere after ${one.live.toFixed(2)} s`);
  }
  const target = { text: '≤ 5 s', atMost: 5 };
  return {
    figures: [
      figureOf(
        { name: 'served by both API processes and both hosts', unit: 's', target },
        rounds.map(({ live }) => live),
      ),
      figureOf(
        { name: 'of which until it was activated', unit: 's' },
        rounds.map(({ activated }) => activated),
      ),
      figureOf(
        {
          name: 'texts without an answer in the conversations that go on',
          unit: 'texts',
          target: { text: '0', atMost: 0 },
        },
        rounds.map(({ lost }) => lost),
      ),
    ],
    notes: [
      `From the start of \`git push\` to a bare repository on disk, with a signed push event to one of two workers after it. The version is new: its agent's ${size.scenarios} scenarios of two turns run first.`,
      `${size.conversations} conversations go on meanwhile, on the same cores: each person writes a text every ${size.everyMs / 1000} s.`,
      `Live is a conversation that was greeted by the new version, at each of two API processes and on each of two hosts; four begin at once from the activation on, as none before it can be. Without a push event the poll adds up to ${pollSeconds} s.`,
    ],
  };
}

async function merge({ world, author, echo }: Parts, greeting: string): Promise<Pick<Round, 'activated' | 'live'>> {
  await author.write('agents/echo.yaml', echo.replace('Welcome to the echo.', greeting));
  const commit = await author.commit(greeting);
  const beganAt = Date.now();
  const began = performance.now();
  await author.push();
  await tellWorker(world);
  const { at, state } = await judged(world, commit);
  if (state !== 'active') throw new Error(`the merge was not activated:\n${world.output()}`);
  const greetedAt = await greetedEverywhere(world, greeting);
  return { activated: (at.getTime() - beganAt) / 1000, live: (greetedAt - began) / 1000 };
}

const judged = ({ admin }: World, commit: string) =>
  eventually(
    'the commit is judged',
    async () => {
      const [row] = await admin.query<{ at: Date; state: string }>(
        sql`select at, state from agent_revisions where commit = ${commit} order by id limit 1`,
      );
      return row;
    },
    { withinMs: 120_000 },
  );

/** As a Git host does after a push. */
async function tellWorker({ workers }: World): Promise<void> {
  const body = JSON.stringify({ ref: 'refs/heads/main' });
  const signature = createHmac('sha256', pushSecret).update(body).digest('hex');
  const headers = { 'x-hub-signature-256': `sha256=${signature}` };
  const answer = await fetch(`http://127.0.0.1:${workers[0]?.internalPort}/push-events`, {
    method: 'POST',
    headers,
    body,
  });
  if (answer.status !== 202) throw new Error(`the push event was answered with ${answer.status}`);
}

/** When the last of all API processes and hosts first greeted so, on this process's clock. */
async function greetedEverywhere(world: World, greeting: string): Promise<number> {
  const { apiKey } = await world.credentials('echo');
  const doors = world.apis.map(({ port }) => new Customer(`http://127.0.0.1:${port}`, apiKey));
  const greeted = new Map<string, number>();
  const visit = async (door: Customer) => {
    const { sessionId, ...connection } = await door.createSession();
    await using person = await Person.join(connection);
    const { text } = await person.hears(/./);
    const at = performance.now();
    if (text === greeting)
      for (const place of [door.baseUrl, await hostOf(world, sessionId)])
        greeted.set(place, Math.min(at, greeted.get(place) ?? at));
    await door.endSession(sessionId);
  };
  // Two at once at each door: one after another, looking took longer than becoming live.
  const look = async () => {
    await Promise.all([...doors, ...doors].map(visit));
    return greeted.size === doors.length + world.hosts.length;
  };
  await eventually('both API processes and both hosts serve the new version', look, { withinMs: 120_000 });
  return Math.max(...greeted.values());
}

async function hostOf({ admin }: World, sessionId: string): Promise<string> {
  const [row] = await admin.query<{ host_id: string }>(sql`select host_id from sessions where id = ${sessionId}`);
  return row?.host_id ?? '';
}
