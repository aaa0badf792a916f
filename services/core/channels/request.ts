import { problems } from '../../contract/problems.ts';
import type { Channel } from '../../contract/session.ts';
import type { Clock } from '../../process/clock.ts';
import { channels, type Notifier } from '../../store/notify.ts';
import { type CreateResult, findSession } from '../../store/tables/sessions.ts';
import { type LiveAgent, refuseWhenClosed } from '../agents/live-agent.ts';
import { askForChallenge, type ChallengeDeps, keepForNextAttempt } from '../challenges/ask.ts';
import type { Readiness } from '../hosts/readiness.ts';
import type { Rooms } from '../rooms/rooms.ts';
import { connect, type Opened } from '../sessions/connect.ts';
import { abandonSession, type EndDeps } from '../sessions/end.ts';
import { sha256 } from '../sessions/ids.ts';
import { type ColdStart, secondsUntilAgent, waitForHost } from '../sessions/wait-for-host.ts';
import type { Wishes } from './choose.ts';
import type { Visitor } from './new-session.ts';
import { type OpenDeps, openSession } from './open-session.ts';

export interface CreateDeps extends EndDeps, OpenDeps, ChallengeDeps {
  rooms: Rooms;
  notifier: Notifier;
  readiness: Readiness;
  clock: Clock;
  /** Undefined where a session without an agent is refused. */
  coldStart: ColdStart | undefined;
}

export interface Caller {
  agent: LiveAgent;
  keyHash: Buffer;
  /** The client's address, IPv6 by /64: for the caps on unjoined sessions and of visitors. */
  address: string;
  /** Given by browsers. */
  origin: string | undefined;
  /** Whether the request carried a signature made with the agent's secret. */
  signature: Buffer | undefined;
  /** What the person's page got from the provider of the challenge. */
  challenge?: string | undefined;
  channel: Channel;
  idempotency: { scope: string; bodyHash: Buffer } | undefined;
  /** Somebody tries the agent: nobody's budget is used. */
  test?: { webhook: boolean };
}

export interface SessionRequest extends Wishes {
  systemPrompt?: string | undefined;
}

/** As long as a caller waits for an agent to join when no warm room was left. */
const coldWaitMs = 1_000;

/**
 * A request with an agent's key: creates a session and answers when its agent is in the room, at once with a warm
 * room, within a second without one. Where `coldStart` allows it, a session that found no agent waits for a host in a room of its
 * own.
 * @throws Problem what `openSession` throws, `prompt_override_not_allowed`, `challenge_required`, `no_capacity`, `unavailable`
 */
export async function createSession(
  deps: CreateDeps,
  caller: Caller,
  { systemPrompt, ...wishes }: SessionRequest,
  openedBy: 'session' | 'token' = 'session',
): Promise<Opened> {
  const { agent, keyHash } = caller;
  // A closed agent is told before anything about the request is judged.
  refuseWhenClosed(agent);
  refusePromptOverride(caller, systemPrompt);
  const scopeHash = caller.idempotency && sha256(keyHash, caller.idempotency.scope);
  const isAsked = !caller.signature && !caller.test;
  const verified = isAsked && (await askForChallenge(deps, { agent, keyHash, answer: caller.challenge, scopeHash }));
  try {
    return await open(deps, caller, { systemPrompt, ...wishes }, { scopeHash, openedBy });
  } catch (error) {
    if (verified) await keepForNextAttempt(deps, agent.tenant, verified);
    throw error;
  }
}

async function open(
  deps: CreateDeps,
  caller: Caller,
  { systemPrompt, ...wishes }: SessionRequest,
  { scopeHash, openedBy }: { scopeHash: Buffer | undefined; openedBy: 'session' | 'token' },
): Promise<Opened> {
  const { agent, keyHash, idempotency } = caller;
  const created = await openSession(deps, {
    agent,
    channel: caller.channel,
    openedBy,
    wishes,
    promptOverride: systemPrompt,
    createdBy: sha256(keyHash, caller.address),
    visitor: visitorOf(caller),
    idempotency: idempotency && scopeHash ? { scopeHash, bodyHash: idempotency.bodyHash } : null,
    signature: caller.signature,
    ...(caller.test && { test: caller.test }),
    mayWait: deps.coldStart !== undefined,
  });
  const { session, agentWithinSeconds } = await attended(deps, agent.tenant, created);
  return { connection: connect(deps.rooms, agent, session), agentWithinSeconds };
}

/**
 * Whose budget a request counts against. Signed ones come from the customer's own servers. Whoever leaves the Origin out shares one budget
 * with all others who do, so that nothing is gained by it.
 */
function visitorOf({ keyHash, address, origin, signature, test }: Caller): Visitor | null {
  if (signature || test) return null;
  if (origin === undefined) return { kind: 'unsigned', id: sha256(keyHash, 'unsigned') };
  return { kind: 'visitor', id: sha256(keyHash, 'visitor', address) };
}

function refusePromptOverride({ agent, origin, signature }: Caller, systemPrompt: string | undefined): void {
  if (systemPrompt === undefined) return;
  const allowed = agent.settings.sessions.systemPrompt;
  if (origin !== undefined)
    throw problems.promptOverrideNotAllowed('a browser may not replace the prompt, build it on your server');
  if (allowed === 'never')
    throw problems.promptOverrideNotAllowed('this agent never takes one (sessions.systemPrompt: never)');
  if (allowed === 'signed' && !signature) {
    throw problems.promptOverrideNotAllowed(
      'this agent takes one in signed requests only (sessions.systemPrompt: signed)',
    );
  }
}

type Attended = Pick<Opened, 'agentWithinSeconds'> & { session: CreateResult };

/** The session as it can be joined: with its agent, or waiting for one where that is allowed. @throws Problem `no_capacity` */
async function attended(deps: CreateDeps, tenant: string, created: CreateResult): Promise<Attended> {
  if (created.result === 'cold') return waitForAgent(deps, tenant, created);
  if (created.result === 'warm') deps.notifier.tell(channels.work, created.host_id ?? '');
  const waits = created.result === 'replayed' && deps.coldStart !== undefined;
  const row = waits ? await deps.db.asTenant(tenant, (tx) => findSession(tx, created.session_id)) : undefined;
  return { session: created, agentWithinSeconds: row && secondsUntilAgent(row, deps.clock) };
}

/** Whoever waited for a warm room has got that room. */
async function waitForAgent(deps: CreateDeps, tenant: string, created: CreateResult): Promise<Attended> {
  const ready = deps.readiness.wait(tenant, created.session_id, coldWaitMs);
  deps.notifier.tell(channels.work, '');
  if (!(await ready)) {
    const agentWithinSeconds = await waitForHost(deps, tenant, created);
    if (agentWithinSeconds !== undefined) return { session: created, agentWithinSeconds };
    // The agent may have come in the very moment in which we gave up: then the session stands.
    if (await abandonSession(deps, tenant, created.session_id)) throw problems.noCapacity();
  }
  const session = await deps.db.asTenant(tenant, (tx) => findSession(tx, created.session_id));
  if (!session || session.status === 'ended') throw problems.noCapacity();
  return {
    session: { ...created, room_name: session.room_name, host_id: session.host_id },
    agentWithinSeconds: undefined,
  };
}
