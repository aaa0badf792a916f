import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '../../../services/store/sql.ts';
import { eventually } from '../../support/eventually.ts';
import { Person } from '../../support/people/person.ts';
import { startToolServer, type ToolServer } from '../../support/stand-ins/tool-server.ts';
import { startWorld, type World } from '../../support/world/world.ts';

let tools: ToolServer;
let world: World;

beforeAll(async () => {
  tools = await startToolServer();
  world = await startWorld({ env: { TEST_TOOLS_URL: tools.url } });
});

afterAll(async () => {
  await world?.[Symbol.asyncDispose]();
  await tools?.[Symbol.asyncDispose]();
});

const farewell = {
  en: /^We have reached the end of what I can do/,
  de: /^Mehr kann ich in einem Gespräch leider nicht leisten/,
};

/** What the ledger has of today, and what the agent (or the whole tenant) may have. */
async function useUp(agent: string, used: { seconds: number; tokens: number }, caps: object): Promise<void> {
  const { admin, tenant } = world;
  await admin.query(sql`
    insert into agent_usage (tenant_id, agent, day, billed_seconds, tokens)
    values (${tenant}, ${agent}, (now() at time zone 'UTC')::date, ${used.seconds}, ${used.tokens})
    on conflict (tenant_id, agent, day) do update set billed_seconds = excluded.billed_seconds, tokens = excluded.tokens`);
  await admin.query(sql`
    update agents set settings = jsonb_set(settings, '{caps}', settings->'caps' || ${JSON.stringify(caps)}::jsonb)
    where agent = ${agent}`);
}

const ended = (sessionId: string) =>
  eventually('the session is over', async () => {
    const [row] = await world.admin.query<{ end_reason: string; billed_seconds: number }>(
      sql`select end_reason, billed_seconds from sessions where id = ${sessionId} and status = 'ended'`,
    );
    return row;
  });

test("minutes that are used up end a conversation after a sentence in the person's language", async () => {
  const customer = await world.customer();
  const session = await customer.createSession({ language: 'de' });
  await using person = await Person.join(session);
  await person.ask('Guten Tag', /^Du sagtest: Guten Tag$/);
  // Less than the cap is in the ledger: what this conversation takes by itself reaches it.
  await useUp('echo', { seconds: 58, tokens: 0 }, { minutesPerMonth: 1 });
  await person.hears(farewell.de);
  expect(await ended(session.sessionId)).toMatchObject({ end_reason: 'tenant_limit' });
  await eventually('the person is out of the room', () => person.disconnectedBecause !== undefined);
  await eventually(
    'a further one is refused',
    async () => (await customer.call('POST', '/api/sessions')).status === 429,
  );
  const [event] = await world.admin.query(
    sql`select source from session_events where session_id = ${session.sessionId} and kind = 'limit_reached'`,
  );
  expect(event).toEqual({ source: 'worker' });
  await useUp('echo', { seconds: 0, tokens: 0 }, { minutesPerMonth: 1_000 });
});

test('tokens of the day do so, too, and what the agent is saying is heard first', async () => {
  const customer = await world.customer();
  const session = await eventually('the agent is open again', () => customer.createSession().catch(() => undefined));
  await using person = await Person.join(session);
  await person.ask('Hello', /^You said: Hello$/);
  await useUp('echo', { seconds: 0, tokens: 5_000 }, { tokensPerDay: 5_000 });
  await person.write('Is it raining?');
  await person.hears(farewell.en);
  expect(await ended(session.sessionId)).toMatchObject({ end_reason: 'tenant_limit' });
  expect(person.texts()).toContain('You said: Is it raining?');
  await useUp('echo', { seconds: 0, tokens: 0 }, { tokensPerDay: 1_000_000 });
});

test('a tool whose calls of the day are used up is not run, and the model is told', async () => {
  const customer = await world.customer();
  await useUp('echo', { seconds: 0, tokens: 0 }, { toolCallsPerDay: 1 });
  const session = await eventually('the agent is open again', () => customer.createSession().catch(() => undefined));
  await using person = await Person.join(session);
  await person.ask('wait 1 first', /^Waited: first\.$/);
  await person.ask('wait 1 second', /^The waiting failed\.$/);
  await person.ask('goodbye', /^Goodbye!$/);
  expect(await ended(session.sessionId)).toMatchObject({ end_reason: 'agent_ended' });
  expect(tools.requests.length).toBe(1);
  await useUp('echo', { seconds: 0, tokens: 0 }, { toolCallsPerDay: 1_000 });
});

test("a tenant's minutes are those of all its agents, and a host that says nothing is not waited for", async () => {
  const customer = await world.customer();
  const session = await eventually('the agent is open again', () => customer.createSession().catch(() => undefined));
  await using person = await Person.join(session);
  await person.ask('Hello', /^You said: Hello$/);
  const [host] = world.hosts;
  host?.signal('SIGSTOP');
  await useUp('echo', { seconds: 30, tokens: 0 }, {});
  await world.admin.query(sql`
    insert into agent_usage (tenant_id, agent, day, billed_seconds) values (${world.tenant}, 'another', current_date, 31)`);
  await world.admin.query(sql`update tenants set caps = '{"minutesPerMonth": 1}' where id = ${world.tenant}`);
  expect(await eventually('it is over', () => ended(session.sessionId), { withinMs: 60_000 })).toMatchObject({
    end_reason: 'tenant_limit',
  });
  host?.signal('SIGCONT');
});
