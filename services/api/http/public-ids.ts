import { problems } from '../../contract/problems.ts';

const sessionIdPattern = /^s_[A-Za-z0-9_-]{22}$/;
/** Rooms may be named by others too (an inbound call); what PostgreSQL can't look up is no room. */
const roomNamePattern = /^[^\p{Cc}\p{Cs}]{1,200}$/u;

/** @throws Problem `session_not_found` for what can't be an id of ours, without asking the database. */
export function sessionIdFrom(text: unknown): string {
  if (typeof text === 'string' && sessionIdPattern.test(text)) return text;
  throw problems.sessionNotFound();
}

/** What a file of agents can be called. */
export const agentNamePattern = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

/** @throws Problem `agent_not_found` */
export function agentFrom(text: unknown): string {
  if (typeof text === 'string' && agentNamePattern.test(text)) return text;
  throw problems.agentNotFound(String(text).slice(0, 63));
}

/** @throws Problem `session_not_found` */
export function roomNameFrom(text: unknown): string {
  if (typeof text === 'string' && roomNamePattern.test(text)) return text;
  throw problems.roomNotFound();
}
