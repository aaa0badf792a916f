import assert from 'node:assert/strict';
import { sql } from '../../services/store/sql.ts';
import { eventually } from '../support/eventually.ts';
import { Person } from '../support/people/person.ts';
import { epochOf, everythingAnsweredOnce, type ProofWorld, restoreHosts, storedLines } from './proof-world.ts';

/**
 * The proofs of the core: what must hold whatever dies. Each is run once by `npm test` and many times by `npm run soak`.
 */
export interface Proof {
  name: string;
  run(world: ProofWorld): Promise<void>;
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Clients that write in the very tick in which they have joined; more of them than there are warm rooms. */
export const firstMessage: Proof = {
  name: 'a first message written in the tick of joining is answered',
  run: async ({ echo }) => {
    await Promise.all(
      Array.from({ length: 6 }, async (_, index) => {
        const session = await echo.createSession();
        await using person = await Person.join(session);
        await person.write(`at once ${index}`);
        await person.hears(new RegExp(`^You said: at once ${index}$`));
        await echo.endSession(session.sessionId);
      }),
    );
  },
};

/** The host dies while it speaks: the other one answers the same text, from its beginning, and goes on. */
export const hostKilledInTurn: Proof = {
  name: 'a host killed with -9 in the middle of a reply is followed by another that answers',
  run: async (proof) => {
    const { world, slow } = proof;
    await restoreHosts(proof);
    const session = await slow.createSession();
    await using person = await Person.join(session);
    await person.hears(/^Welcome/);
    await person.write('tell me');
    await eventually('the reply has begun', () => person.replies.some((reply) => reply.text.startsWith('Answer')), {
      everyMs: 2,
    });
    await (await world.hostOf(session.sessionId)).kill();
    await person.hears(/^Answer to: tell me\. One .* ten\.$/);
    await person.ask('and now', /^Answer to: and now/);
    await everythingAnsweredOnce(world, session.sessionId, ['tell me', 'and now']);
    await slow.endSession(session.sessionId);
    await restoreHosts(proof);
  },
};

/** The host dies inside a tool call: the tool is not called again, and the model is told that its outcome is unknown. */
export const hostKilledInTool: Proof = {
  name: 'a host killed with -9 inside a tool call is followed by another that does not repeat it',
  run: async (proof) => {
    const { world, echo, tools } = proof;
    await restoreHosts(proof);
    const label = `t${Math.floor(performance.now())}`;
    const session = await echo.createSession();
    await using person = await Person.join(session);
    await person.hears(/^Welcome/);
    await person.write(`wait 2500 ${label}`);
    await eventually('the tool is called', () => tools.requests.some((request) => request.body.label === label), {
      everyMs: 2,
    });
    await (await world.hostOf(session.sessionId)).kill();
    await person.hears(/^The waiting failed\.$/);
    await person.ask('still there?', /^You said: still there\?$/);
    assert.equal(tools.requests.filter((request) => request.body.label === label).length, 1);
    const calls = await world.admin.query<{ status: string }>(
      sql`select status from tool_calls where session_id = ${session.sessionId}`,
    );
    assert.deepEqual(calls, [{ status: 'unknown' }]);
    await everythingAnsweredOnce(world, session.sessionId, [`wait 2500 ${label}`, 'still there?']);
    await echo.endSession(session.sessionId);
    await restoreHosts(proof);
  },
};

/** A host that stands still for three seconds keeps its conversation: what was written meanwhile is answered by it. */
export const hostStopped: Proof = {
  name: 'a host that is stopped for 3 s loses neither its conversation nor a text',
  run: async ({ world, echo }) => {
    const session = await echo.createSession();
    await using person = await Person.join(session);
    await person.ask('before', /^You said: before$/);
    const epoch = await epochOf(world, session.sessionId);
    const host = await world.hostOf(session.sessionId);
    host.signal('SIGSTOP');
    await person.write('while it stood still');
    await pause(3_000);
    host.signal('SIGCONT');
    await person.hears(/^You said: while it stood still$/);
    await person.ask('after', /^You said: after$/);
    assert.equal(await epochOf(world, session.sessionId), epoch);
    await everythingAnsweredOnce(world, session.sessionId, ['before', 'while it stood still', 'after']);
    await echo.endSession(session.sessionId);
  },
};

/** A host that is frozen for good is replaced within seconds; thawed, it says nothing more in what is not its conversation any more. */
export const hostFrozen: Proof = {
  name: 'a frozen host is followed by another, and never are there two that speak',
  run: async (proof) => {
    const { world, echo } = proof;
    await restoreHosts(proof);
    const session = await echo.createSession();
    await using person = await Person.join(session);
    await person.ask('before', /^You said: before$/);
    // A reply that was heard and is not stored yet would be given again.
    await everythingAnsweredOnce(world, session.sessionId, ['before']);
    const host = await world.hostOf(session.sessionId);
    const epoch = await epochOf(world, session.sessionId);
    host.signal('SIGSTOP');
    // What is written while only the frozen agent is in the room reaches nobody: a text goes to those who are there.
    await eventually('another host is there', async () => {
      const rows = await world.admin.query(
        sql`select 1 from sessions where id = ${session.sessionId} and epoch > ${epoch} and unattended_since is null`,
      );
      return rows.length > 0;
    });
    await person.ask('after', /^You said: after$/);
    host.signal('SIGCONT');
    await person.ask('and now', /^You said: and now$/);
    await pause(2_000);
    await person.ask('at last', /^You said: at last$/);
    const said = person.texts().filter((text) => !text.startsWith('Welcome'));
    assert.deepEqual(
      said,
      ['before', 'after', 'and now', 'at last'].map((text) => `You said: ${text}`),
    );
    await everythingAnsweredOnce(world, session.sessionId, ['before', 'after', 'and now', 'at last']);
    await echo.endSession(session.sessionId);
    await restoreHosts(proof);
  },
};

/** PostgreSQL crashes, stays away for `awayMs` and comes back: conversations go on, and everything is stored afterwards. */
export const databaseAway = (awayMs: number): Proof => ({
  name: `PostgreSQL killed and away for ${awayMs / 1000} s: no takeover, no turn lost, the conversation goes on`,
  run: async ({ world, echo }) => {
    const session = await echo.createSession();
    await using person = await Person.join(session);
    await person.ask('before', /^You said: before$/);
    const epoch = await epochOf(world, session.sessionId);
    await world.postgres.kill();
    const until = performance.now() + awayMs;
    const during: string[] = [];
    do {
      const text = `without a database ${during.length}`;
      during.push(text);
      await person.ask(text, new RegExp(`^You said: ${text}$`));
      await pause(Math.min(4_000, Math.max(0, until - performance.now())));
    } while (performance.now() < until);
    await world.postgres.start();
    await person.ask('after', /^You said: after$/);
    await everythingAnsweredOnce(world, session.sessionId, ['before', ...during, 'after']);
    assert.equal(await epochOf(world, session.sessionId), epoch);
    await eventually('the API serves again', () => echo.endSession(session.sessionId));
  },
});

/** PostgreSQL is away, people go on, and every host is killed: what was answered is stored by those that are started then. */
export const hostsKilledWhileDatabaseAway: Proof = {
  name: 'what was owed: hosts killed with -9 while PostgreSQL is away, and every answered text is stored once',
  run: async (proof) => {
    const { world, echo } = proof;
    await restoreHosts(proof);
    const talks = await Promise.all(
      Array.from({ length: 8 }, async () => {
        const session = await eventually('a session is created', () => echo.createSession());
        const person = await Person.join(session);
        await person.ask('before', /^You said: before$/);
        return { session: session.sessionId, person };
      }),
    );
    await world.postgres.kill();
    const killAt = performance.now() + 1_000 + Math.random() * 3_000;
    const written = await Promise.all(talks.map(({ person }) => writeUntil(person, killAt)));
    await Promise.all(world.hosts.map((host) => host.kill()));
    const answered = talks.map(({ person }, index) =>
      (written[index] ?? []).filter((text) => isAnswered(person, text)),
    );
    assert.ok(answered.flat().length > 0);
    await world.postgres.start();
    await restoreHosts(proof);
    for (const [index, { session, person }] of talks.entries()) {
      await storedOnce(world, session, answered[index] ?? []);
      await person.leave();
      await eventually('the API serves again', () => echo.endSession(session));
    }
  },
};

/** A text every 150 ms, whether the one before is answered or not; those that were handed in. */
async function writeUntil(person: Person, at: number): Promise<string[]> {
  const written: string[] = [];
  while (performance.now() < at) {
    const text = `away ${written.length}`;
    await person.write(text);
    written.push(text);
    await pause(150);
  }
  return written;
}

const isAnswered = (person: Person, text: string) => person.texts().includes(`You said: ${text}`);

/** Others may be stored too: what was accepted last is answered by the host that came then. */
async function storedOnce(world: ProofWorld['world'], session: string, texts: readonly string[]): Promise<void> {
  await eventually(`each of ${texts.length} answered texts is stored once, in order, with one answer`, async () => {
    const lines = await storedLines(world, session);
    const asked = lines.filter(({ role, content }) => role === 'USER' && texts.includes(content));
    assert.deepEqual(
      asked.map(({ content }) => content),
      texts,
    );
    for (const { sequence, answered_at } of asked) {
      assert.notEqual(answered_at, null);
      assert.equal(lines.filter(({ role, turn }) => role === 'ASSISTANT' && turn === sequence).length, 1);
    }
    return true;
  });
}

/** The room server crashes and comes back: both sides return to the same room and the same conversation. */
export const roomServerRestarted: Proof = {
  name: 'the room server killed and restarted: the conversation goes on in the same room',
  run: async ({ world, echo }) => {
    const session = await echo.createSession();
    await using person = await Person.join(session);
    await person.ask('before', /^You said: before$/);
    await world.rooms.kill();
    await world.rooms.start();
    const answered = await eventually('a text is answered again', async () => {
      const text = `after ${person.replies.length}`;
      await person.write(text).catch(() => undefined);
      return person.hears(/^You said: after/, { withinMs: 1_500 }).catch(() => undefined);
    });
    assert.match(answered.text, /^You said: after/);
    const lines = await storedLines(world, session.sessionId);
    assert.equal(lines.filter((line) => line.content === 'before').length, 1);
    const ended = await echo.endSession(session.sessionId);
    assert.equal(ended.endReason, 'client_ended');
    await eventually(
      'hosts have warm rooms again',
      async () => (await world.admin.query(sql`select 1 from warm_rooms`)).length > 0,
    );
  },
};

/** SIGTERM, while people write: the successor takes the agent's place, and nothing that is written meanwhile is lost. */
export const hostHandsOver: Proof = {
  name: 'a host that is told to stop hands its conversations over, and every text written meanwhile is answered',
  run: async (proof) => {
    const { world, echo } = proof;
    await restoreHosts(proof);
    const talks = await Promise.all(
      Array.from({ length: 4 }, async () => {
        const { sessionId, ...connection } = await echo.createSession();
        const person = await Person.join(connection);
        await person.hears(/^Welcome/);
        return { sessionId, person };
      }),
    );
    const texts = Array.from({ length: 14 }, (_, index) => `text ${index}`);
    const host = await world.hostOf(talks[0]?.sessionId ?? '');
    const writing = talks.map(async ({ person }) => {
      for (const text of texts) {
        await person.write(text);
        await pause(100);
      }
    });
    await host.stop(40_000);
    await Promise.all(writing);
    for (const { sessionId, person } of talks) {
      for (const text of texts) await person.hears(new RegExp(`^You said: ${text}$`));
      await everythingAnsweredOnce(world, sessionId, texts);
      await person.leave();
      await echo.endSession(sessionId);
    }
    await restoreHosts(proof);
  },
};

export const proofs: readonly Proof[] = [
  firstMessage,
  hostKilledInTurn,
  hostKilledInTool,
  hostHandsOver,
  hostStopped,
  hostFrozen,
  databaseAway(2_000),
  hostsKilledWhileDatabaseAway,
  roomServerRestarted,
];
