import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '../../../services/store/sql.ts';
import { eventually } from '../../support/eventually.ts';
import { Person } from '../../support/people/person.ts';
import { ask } from '../../support/people/rest.ts';
import { type GitPerson, GitRemote } from '../../support/stand-ins/git-remote.ts';
import type { ServiceProcess } from '../../support/world/service-process.ts';
import { startWorld, type World } from '../../support/world/world.ts';

/** What is merged while people talk, and while the processes that serve them die and come back. */

const conversations = 50;
const joinsAtOnce = 5;

let remote: GitRemote;
let author: GitPerson;
let world: World;
let files: { echo: string; second: string };

beforeAll(async () => {
  remote = await GitRemote.create();
  author = await remote.person();
  await author.copyIn(new URL('../../agents/', import.meta.url).pathname, 'agents');
  const echo = await readFile(join(author.folder, 'agents/echo.yaml'), 'utf8');
  files = { echo, second: echo.replace('name: Echo', 'name: Second') };
  await writeEdition(0);
  await author.commit('Edition 0');
  await author.push();
  world = await startWorld({
    hosts: 2,
    apis: 2,
    workers: 2,
    settings: { agentsFolder: undefined, repository: { url: remote.url, pollSeconds: 1 } },
  });
});

afterAll(async () => {
  await world?.[Symbol.asyncDispose]();
  await remote?.[Symbol.asyncDispose]();
});

/** Both agents as they greet, answer and take leave in one edition. */
async function writeEdition(edition: number): Promise<void> {
  for (const [agent, text] of Object.entries(files))
    await author.write(
      `agents/${agent}.yaml`,
      text
        .replace('Welcome to the echo.', `Welcome to edition ${edition}.`)
        .replace("en: 'You said: {{words}}'", `en: 'Edition ${edition} heard: {{words}}'`)
        .replace('en: Goodbye!', `en: Goodbye from edition ${edition}!`),
    );
}

/** Pushes an edition; returns its commit. */
async function merge(edition: number): Promise<string> {
  await writeEdition(edition);
  const commit = await author.commit(`Edition ${edition}`);
  await author.push();
  return commit;
}

interface Conversation {
  person: Person;
  id: string;
  room: string;
  greeting: string;
}

const running = <Process extends ServiceProcess>(processes: readonly Process[]): Process[] =>
  processes.filter((process) => process.running);

/** A conversation begun at this API process, with the greeting it was met with. */
async function begin(api: { port: number }): Promise<Conversation> {
  const { apiKey } = await world.credentials('echo');
  const created = await eventually('a session is created', async () => {
    const answer = await ask(`http://127.0.0.1:${api.port}`, 'POST', '/api/sessions', {
      key: apiKey,
      body: { language: 'en' },
    });
    // Who hears 503 comes again: more may come at once than there are warm rooms.
    return answer.status === 200 && (answer.body as { sessionId: string; wsUrl: string; token: string });
  });
  const person = await Person.join(created);
  const greeting = (await person.hears(/./)).text;
  return { person, id: created.sessionId, room: person.room.name ?? '', greeting };
}

/** So many conversations, spread over the API processes, a few at a time. */
async function beginMany(count: number): Promise<Conversation[]> {
  const apis = running(world.apis);
  const begun: Conversation[] = [];
  const next = Array.from({ length: count }, (_, index) => apis[index % apis.length] ?? { port: 0 }).values();
  const work = async () => {
    for (const api of next) begun.push(await begin(api));
  };
  await Promise.all(Array.from({ length: joinsAtOnce }, work));
  return begun;
}

const editionOf = ({ greeting }: Conversation) => Number(/^Welcome to edition (\d+)\.$/.exec(greeting)?.[1]);

/**
 * Says something and gives the answer. As docs/call/room.md tells a client to do, a text without an answer is sent again under
 * its own id: while a successor takes a dead host's place, for a moment nobody hears.
 */
async function say({ person }: Conversation, text: string, answer: RegExp): Promise<string> {
  const streamId = randomUUID();
  const from = person.replies.length;
  const heard = await eventually(
    `an answer to "${text}"`,
    async () => {
      await person.room.localParticipant?.sendText(text, { topic: 'lk.chat', streamId });
      return person.hears(answer, { from, withinMs: 5_000 });
    },
    { withinMs: 60_000 },
  );
  return heard.text;
}

/** Each in turn says something, all the time until `over`, and is answered in the edition it began with. */
async function talkUntil(over: Promise<unknown>, all: readonly Conversation[]): Promise<number> {
  let goesOn = true;
  const end = () => {
    goesOn = false;
  };
  over.then(end, end);
  let turns = 0;
  while (goesOn) {
    const one = all[turns % all.length];
    if (!one) break;
    turns += 1;
    expect(await say(one, `word ${turns}`, /heard/)).toBe(`Edition ${editionOf(one)} heard: word ${turns}`);
  }
  await over;
  return turns;
}

/** Conversations that begin now at each API process until both hosts have served one: all of the edition. */
async function liveEverywhere(edition: number): Promise<Conversation[]> {
  for (const api of running(world.apis))
    await eventually(`a new conversation is of edition ${edition}`, async () => {
      const one = await begin(api);
      await one.person.leave();
      return editionOf(one) === edition;
    });
  const begun: Conversation[] = [];
  await eventually(`both hosts serve edition ${edition}`, async () => {
    for (const api of running(world.apis)) begun.push(await begin(api));
    return (await hostsOf(begun)).length === 2;
  });
  expect(begun.map(editionOf)).toEqual(begun.map(() => edition));
  return begun;
}

const hostsOf = async (some: readonly Conversation[]) =>
  world.admin.query(sql`select distinct host_id from sessions where id = any (${some.map(({ id }) => id)})`);

interface RecordRow {
  id: string;
  hash: string;
  commit: string;
  greeting: string;
  status: string;
}

/** What the records say of these conversations. */
const recordsOf = (some: readonly Conversation[]) =>
  world.admin.query<RecordRow>(sql`
    select s.id, v.hash, v.commit, v.definition #>> '{languages,0,greeting}' as greeting, s.status
    from sessions s join agent_versions v on v.tenant_id = s.tenant_id and v.agent = s.agent and v.hash = s.version_hash
    where s.id = any (${some.map(({ id }) => id)})`);

async function recordsName(some: readonly Conversation[], commit: string): Promise<void> {
  const records = await recordsOf(some);
  expect(records).toHaveLength(some.length);
  expect(new Set(records.map((record) => record.commit))).toEqual(new Set([commit]));
  expect(new Set(records.map(({ greeting }) => greeting))).toEqual(new Set(some.map(({ greeting }) => greeting)));
  const [one] = some;
  const { apiKey } = await world.credentials('echo');
  const path = `/api/sessions/config/${one?.room}`;
  const [api] = running(world.apis);
  const { body } = await ask(`http://127.0.0.1:${api?.port}`, 'GET', path, { key: apiKey });
  expect(body).toMatchObject({ agent: { version: records[0]?.hash.slice(0, 12) } });
}

test('50 conversations keep the version they began with to their end, through merges and the death of a host and an API process', async () => {
  const commits = [await remote.head()];
  const first = await beginMany(conversations);
  expect(first.map(editionOf)).toEqual(first.map(() => 0));
  expect(await hostsOf(first)).toHaveLength(2);

  commits.push(await merge(1));
  const second = liveEverywhere(1);
  expect(await talkUntil(second, first)).toBeGreaterThan(0);

  // Dies with half of the conversations; the other host goes on with them.
  const [host, api] = [running(world.hosts)[1], running(world.apis)[1]];
  await Promise.all([host?.kill(), api?.kill()]);
  commits.push(await merge(2));
  await Promise.all([world.startHost(), world.startApi()]);
  const third = await liveEverywhere(2);

  const all = [...first, ...(await second), ...third];
  await Promise.all(
    all.map(async (one) => {
      const edition = editionOf(one);
      expect(await say(one, 'still there?', /still there/)).toBe(`Edition ${edition} heard: still there?`);
      expect(await say(one, 'goodbye', /^Goodbye/)).toBe(`Goodbye from edition ${edition}!`);
    }),
  );
  const areOver = async () => (await recordsOf(all)).every(({ status }) => status === 'ended');
  await eventually('all are over', areOver, { withinMs: 90_000 });
  for (const [edition, some] of [first, await second, third].entries()) await recordsName(some, commits[edition] ?? '');
  await Promise.all(all.map(({ person }) => person.leave()));
});

interface Live {
  agents: number;
  greetings: string[];
  /** Commit of the newest active revision. */
  judged: string;
}

/** What is live and what was judged last, as one statement sees both. */
const live = async () =>
  (
    await world.admin.query<Live>(sql`
      select count(*)::integer as agents, array_agg(distinct v.definition #>> '{languages,0,greeting}') as greetings,
        (select commit from agent_revisions where state = 'active' order by id desc limit 1) as judged
      from agents a join agent_versions v on v.tenant_id = a.tenant_id and v.agent = a.agent and v.hash = a.version_hash
      where a.deleted_at is null`)
  )[0];

test('workers that are killed at any moment leave whole revisions live, in the order of the pushes, and never two', async () => {
  const editions = new Map<string, number>();
  const seen: number[] = [];
  let watching = true;
  const watch = async () => {
    while (watching) {
      const now = await live();
      const edition = editions.get(now?.judged ?? '') ?? Number.NaN;
      expect(now).toMatchObject({ agents: 2, greetings: [`Welcome to edition ${edition}.`] });
      if (seen.at(-1) !== edition) seen.push(edition);
    }
  };
  editions.set(await remote.head(), 2);
  const watched = watch();
  const last = 8;
  for (let edition = 3; edition <= last; edition += 1) {
    await writeEdition(edition);
    editions.set(await author.commit(`Edition ${edition}`), edition);
    await author.push();
    const [victim] = running(world.workers);
    if (edition % 2 === 1) {
      await eventually('a worker has begun', () => running(world.workers).length === 2);
      await victim?.kill();
      await world.startWorker();
    }
  }
  await eventually(`edition ${last} is live`, () => seen.at(-1) === last).finally(() => {
    watching = false;
  });
  await watched;
  expect(seen).toEqual(seen.toSorted((a, b) => a - b));
});

test('a worker that dies in the middle of an activation leaves nothing of it, and the next one makes all of it live', async () => {
  const before = await live();
  const dead = running(world.workers);
  // Whoever activates now has stored the new versions, and stops at the second agent's row.
  const commit = await world.admin.asTenant(world.tenant, async (tx) => {
    await tx.query(sql`select 1 from agents where agent = 'second' for update`);
    const pushed = await merge(9);
    await eventually('an activation waits for the row', async () => {
      const waiting = await tx.query(sql`
        select 1 from pg_stat_activity
        where datname = current_database() and application_name = 'parley-worker' and wait_event_type = 'Lock' and wait_event = 'transactionid'`);
      return waiting.length > 0;
    });
    await Promise.all(dead.map((worker) => worker.kill()));
    return pushed;
  });
  await eventually('the database has noticed', async () => {
    const open = await world.admin.query(sql`
      select 1 from pg_stat_activity where datname = current_database() and application_name = 'parley-worker'`);
    return open.length === 0;
  });
  expect(await live()).toEqual(before);
  expect(await world.admin.query(sql`select 1 from agent_versions where commit = ${commit}`)).toEqual([]);
  await Promise.all(dead.map(() => world.startWorker()));
  await eventually('all of it is live', async () => (await live())?.judged === commit);
  expect(await live()).toMatchObject({ agents: 2, greetings: ['Welcome to edition 9.'] });
});
