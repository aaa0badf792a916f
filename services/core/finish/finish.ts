import type { AgentVariables } from '../../agent-files/definition/agent-variables.ts';
import type { CompiledAgent } from '../../agent-files/definition/compiled.ts';
import type { Outcome, Sentiment } from '../../contract/session.ts';
import { bestEffort } from '../../process/best-effort.ts';
import type { Clock } from '../../process/clock.ts';
import { sleep } from '../../process/sleep.ts';
import type { Database, Tx } from '../../store/database.ts';
import type { Notifier } from '../../store/notify.ts';
import { findVersion } from '../../store/tables/agents.ts';
import { type CallRow, findCallOfSession } from '../../store/tables/calls.ts';
import { insertDelivery } from '../../store/tables/deliveries.ts';
import { addJob } from '../../store/tables/jobs.ts';
import { listMessages, type MessageRow } from '../../store/tables/messages.ts';
import { addToRollups } from '../../store/tables/rollups.ts';
import { storeWords } from '../../store/tables/session-words.ts';
import { findSession, lockSession, markFinished, type SessionRow } from '../../store/tables/sessions.ts';
import { listToolCalls, type ToolCallRow } from '../../store/tables/tool-calls.ts';
import { addTokens } from '../../store/tables/usage.ts';
import type { Vault } from '../credentials/vault.ts';
import { finishedEvent } from '../deliveries/payload.ts';
import { putOnList } from '../deliveries/queue.ts';
import { findWebhookTarget } from '../deliveries/webhook-target.ts';
import type { Rooms } from '../rooms/rooms.ts';
import { newUuid } from '../sessions/ids.ts';
import { callOfConversation } from '../telephony/calls-shown.ts';
import { isLeftAlone } from '../telephony/left-alone.ts';
import { sayRefusal } from '../telephony/say-refusal.ts';
import { judgedLines } from './judged-lines.ts';
import { summarisingModel, understandByModel } from './model-summary.ts';
import { collectedBy, notesOf } from './notes.ts';
import { type Conversed, certainOutcome, outcomeByRules } from './outcome.ts';
import { rollupOf } from './roll-up.ts';
import { summaryByRules } from './rules-summary.ts';
import { sentimentByWords } from './sentiment.ts';

export interface FinishDeps {
  db: Database;
  notifier: Notifier;
  rooms: Pick<Rooms, 'close' | 'participants'>;
  clock: Clock;
  forAgents: AgentVariables;
  vault: Pick<Vault, 'open'>;
}

export interface SessionId {
  tenant: string;
  session: string;
}

/** `later`: nothing was stored by a host, so what the client sends by itself is waited for. */
export type FinishResult = 'finished' | 'later' | 'nothing_to_do';

/** How long a host may take to hand in its last lines; a dead one never does. */
const hostPatienceMs = 5_000;
const hostPollMs = 100;
/** As long as client lines are accepted (docs/call/rest.md, "Transcript line"). */
const clientLinesMs = 30_000;

/**
 * Closes the books of an ended session: the transcript is complete, summary, outcome and sentiment are made, and the
 * delivery to the customer's webhook is put on the list in the transaction that says so. May run twice.
 */
export async function finishSession(deps: FinishDeps, { tenant, session: id }: SessionId): Promise<FinishResult> {
  const session = await hostDetached(deps, tenant, id);
  if (session?.status !== 'ended') return 'nothing_to_do';
  const emptied = emptyRoom(deps, session);
  await bestEffort(
    'a room server that is away has lost the room; one that comes back is swept by the reconciler',
    emptied,
  );
  if (session.finished_at) return 'nothing_to_do';
  const read = await deps.db.asTenant(tenant, (tx) => readConversation(tx, session));
  if (await waitsForClient(deps, session, read)) return 'later';
  const judged = session.started_at ? await judge(deps, session, read) : nobodyCame(session);
  await deps.db.asTenant(tenant, (tx) => close(tx, deps, session, judged));
  return 'finished';
}

/** A host that takes leave of a person on the telephone closes the room itself. */
async function emptyRoom(deps: FinishDeps, session: SessionRow): Promise<void> {
  const { tenant_id: tenant, id, room_name: room } = session;
  if (isLeftAlone(session)) {
    const call = await deps.db.asTenant(tenant, (tx) => findCallOfSession(tx, id));
    if (call && (await sayRefusal(deps, call))) return;
  }
  await deps.rooms.close(room);
}

async function hostDetached({ db }: FinishDeps, tenant: string, id: string): Promise<SessionRow | undefined> {
  const deadline = performance.now() + hostPatienceMs;
  for (;;) {
    const session = await db.asTenant(tenant, (tx) => findSession(tx, id));
    const isWaitedFor = session?.status === 'ended' && session.host_id !== null && session.finished_at === null;
    if (!isWaitedFor || performance.now() > deadline) return session;
    await sleep(hostPollMs);
  }
}

interface Read {
  definition: CompiledAgent | undefined;
  /** The host's lines; the client's where the host stored none. */
  messages: MessageRow[];
  byHost: boolean;
  toolCalls: ToolCallRow[];
  /** By which it was held, or was to be. */
  call: CallRow | undefined;
}

async function readConversation(tx: Tx, session: SessionRow): Promise<Read> {
  const version = await findVersion(tx, session.agent, session.version_hash);
  const all = await listMessages(tx, session.id);
  const byHost = all.some((message) => message.source === 'host');
  const messages = all.filter((message) => (message.source === 'host') === byHost);
  const call = session.channel === 'phone' ? await findCallOfSession(tx, session.id) : undefined;
  return { definition: version?.definition, messages, byHost, toolCalls: await listToolCalls(tx, session.id), call };
}

async function waitsForClient({ db, clock }: FinishDeps, session: SessionRow, { byHost }: Read): Promise<boolean> {
  const { id, tenant_id: tenant, started_at: joined, ended_at: ended } = session;
  if (byHost || !joined || !ended) return false;
  const runAt = new Date(ended.getTime() + clientLinesMs);
  if (clock.now() >= runAt) return false;
  await db.asTenant(tenant, (tx) =>
    addJob(tx, 'finish_session', { tenant, session: id }, { key: `finish ${id}`, runAt }),
  );
  return true;
}

interface Judged {
  summary: string | null;
  outcome: Outcome;
  sentiment: Sentiment;
  tokens: number;
}

const nobodyCame = ({ end_reason }: SessionRow): Judged => ({
  summary: null,
  outcome: end_reason === 'agent_unavailable' ? 'failed' : 'no_input',
  sentiment: 'neutral',
  tokens: 0,
});

/** By the model where the version has one to ask, else by rules. Where the model fails, its summary is missing and the rules judge. */
async function judge({ forAgents }: FinishDeps, session: SessionRow, read: Read): Promise<Judged> {
  const { definition, messages, byHost, toolCalls } = read;
  const { ofProviders: env } = forAgents;
  const notes = notesOf(collectedBy(toolCalls, definition));
  const lines = judgedLines(messages);
  const conversed: Conversed = {
    ...{ endReason: session.end_reason, lines, toolCalls, definition, notes },
    isOneSided: !byHost,
  };
  const said = messages.filter((message) => message.role === 'USER').map((message) => message.content);
  const byRules = { outcome: outcomeByRules(conversed), sentiment: sentimentByWords(said), tokens: 0 };
  const isWanted = definition?.summary?.enabled ?? true;
  const model = definition && summarisingModel([definition.model, ...definition.modelFallbacks], env);
  if (!isWanted) return { ...byRules, summary: null };
  if (!model || said.length === 0) return { ...byRules, summary: summaryByRules(conversed) };
  const instructions = definition?.summary?.instructions;
  const understood = await understandByModel({ model, env, instructions }, conversed);
  if (!understood) return { ...byRules, summary: null };
  return { ...understood, outcome: certainOutcome(conversed) ?? understood.outcome };
}

/** The transcript is read again under the lock: what a slow host handed in meanwhile belongs to it, and nothing comes after. */
async function close(tx: Tx, deps: FinishDeps, { id, agent }: SessionRow, judged: Judged): Promise<void> {
  await lockSession(tx, id);
  const finished = await markFinished(tx, { id, ...judged });
  if (!finished) return;
  if (judged.tokens > 0) await addTokens(tx, { tenant: tx.tenant, agent, tokens: judged.tokens });
  const read = await readConversation(tx, finished);
  if (finished.started_at) await storeWords(tx, id);
  if (isToldOf(finished, read)) await oweDelivery(tx, deps, finished, read);
  // Last: all conversations of a tenant add to the same rows, which stay locked from here to the commit.
  if (!finished.test) await addToRollups(tx, tx.tenant, rollupOf({ session: finished, ...read }));
}

/** Who has somebody called wants to know of it, answered or not. */
const isToldOf = ({ started_at, test, test_webhook }: SessionRow, { call }: Read): boolean =>
  (started_at !== null || call?.direction === 'outbound') && (!test || test_webhook);

async function oweDelivery(
  tx: Tx,
  { clock, forAgents, vault }: Pick<FinishDeps, 'clock' | 'forAgents' | 'vault'>,
  session: SessionRow,
  { definition, messages, toolCalls, call: row }: Read,
): Promise<void> {
  const { id, agent } = session;
  const target = await findWebhookTarget(tx, agent, forAgents);
  if (target.state !== 'on') return;
  const collected = collectedBy(toolCalls, definition);
  const call = row && callOfConversation(vault, row);
  const body = JSON.stringify(finishedEvent({ session, messages, toolCalls, collected, call }, clock.now()));
  const delivery = await insertDelivery(tx, tx.tenant, {
    ...{ id: newUuid(), agent, session_id: id, event: 'conversation.finished' },
    url: target.named,
    body,
  });
  if (delivery) await putOnList(tx, delivery);
}
