import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from '../../services/store/sql.ts';
import { eventually } from '../support/eventually.ts';
import type { Customer } from '../support/people/customer.ts';
import { type OpenAIServer, startOpenAIServer } from '../support/stand-ins/openai-server.ts';
import { startToolServer, type ToolServer } from '../support/stand-ins/tool-server.ts';
import { startWorld, type World } from '../support/world/world.ts';

/** The world in which the core is proven: two hosts, an agent with a slow tool, and one whose model takes its time. */
export interface ProofWorld extends AsyncDisposable {
  world: World;
  echo: Customer;
  slow: Customer;
  model: OpenAIServer;
  tools: ToolServer;
}

export async function startProofWorld(): Promise<ProofWorld> {
  const model = await startOpenAIServer();
  const tools = await startToolServer();
  model.reply(({ body }) => ({
    text: `Answer to: ${lastText(body.messages)}. One two three four five six seven eight nine ten.`,
    chunkDelayMs: 60,
  }));
  const owedFolder = await mkdtemp(join(tmpdir(), 'parley-owed-'));
  const world = await startWorld({
    ...{ hosts: 2, workers: 0, ownPostgres: true },
    settings: { owedFolder },
    env: { TEST_TOOLS_URL: tools.url },
  });
  const slowAgent = (await readFile(join(world.agentsFolder, 'echo.yaml'), 'utf8'))
    .replace('name: Echo', 'name: Slow')
    .replace(
      'model: { provider: scripted }',
      `model: { provider: openai, name: test-model, baseUrl: "${model.baseUrl}" }`,
    );
  await writeFile(join(world.agentsFolder, 'slow.yaml'), slowAgent);
  await world.publishAgents();
  await eventually('the slow agent is active', async () => {
    const rows = await world.admin.query(sql`select 1 from agents where agent in ('slow', 'echo')`);
    return rows.length === 2;
  });
  return {
    world,
    model,
    tools,
    echo: await world.customer('echo'),
    slow: await world.customer('slow'),
    [Symbol.asyncDispose]: async () => {
      await world[Symbol.asyncDispose]();
      await Promise.all([model[Symbol.asyncDispose](), tools[Symbol.asyncDispose]()]);
      await rm(owedFolder, { recursive: true, force: true });
    },
  };
}

function lastText(messages: readonly { role: string; content?: unknown }[]): string {
  const last = messages.filter((message) => message.role === 'user').at(-1);
  if (typeof last?.content === 'string') return last.content;
  return Array.isArray(last?.content) ? last.content.map((part: { text?: string }) => part.text ?? '').join('') : '';
}

/** Every host that was killed is replaced, so that the next proof finds two again. */
export async function restoreHosts({ world }: ProofWorld): Promise<void> {
  while (world.hosts.filter((host) => host.running).length < 2) await world.startHost();
  await eventually('both hosts have warm rooms', async () => {
    const rows = await world.admin.query<{ hosts: number }>(
      sql`select count(distinct host_id)::integer as hosts from warm_rooms`,
    );
    return (rows[0]?.hosts ?? 0) >= 2;
  });
}

export interface StoredLine {
  sequence: number;
  role: string;
  content: string;
  turn: number;
  answered_at: Date | null;
}

export const storedLines = (world: World, sessionId: string) =>
  world.admin.query<StoredLine>(
    sql`select sequence, role, content, turn, answered_at from messages where session_id = ${sessionId} order by sequence`,
  );

export const epochOf = async (world: World, sessionId: string) =>
  (await world.admin.query<{ epoch: number }>(sql`select epoch from sessions where id = ${sessionId}`))[0]?.epoch;

/** Everything the person wrote is stored once and closed, and each has exactly one answer. */
export async function everythingAnsweredOnce(world: World, sessionId: string, texts: readonly string[]): Promise<void> {
  await eventually(`each of ${texts.length} texts is stored once, with one answer`, async () => {
    const lines = await storedLines(world, sessionId);
    const asked = lines.filter((line) => line.role === 'USER');
    const sameTexts = JSON.stringify(asked.map((line) => line.content).sort()) === JSON.stringify([...texts].sort());
    const answers = (turn: number) => lines.filter((line) => line.role === 'ASSISTANT' && line.turn === turn).length;
    if (sameTexts && asked.every((line) => line.answered_at !== null && answers(line.sequence) === 1)) return true;
    throw new Error(JSON.stringify(lines));
  });
}
