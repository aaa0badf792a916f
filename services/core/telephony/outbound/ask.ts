import type { AskForCallBody } from '../../../contract/generated/api.ts';
import { isZone } from '../../../contract/opening-hours.ts';
import { problems } from '../../../contract/problems.ts';
import type { CallShown } from '../../../contract/telephony.ts';
import type { Clock } from '../../../process/clock.ts';
import type { Database, Tx } from '../../../store/database.ts';
import { type CallRow, countCallsOfTrunk, insertCall } from '../../../store/tables/calls.ts';
import { addJob } from '../../../store/tables/jobs.ts';
import { findNumber, type NumberRow } from '../../../store/tables/numbers.ts';
import { isOptedOut } from '../../../store/tables/opt-outs.ts';
import { lockTrunk, type TrunkRow } from '../../../store/tables/trunks.ts';
import { type Acting, audited } from '../../account/acting.ts';
import { once } from '../../account/once.ts';
import { type LiveAgent, loadLiveAgent, refuseWhenClosed } from '../../agents/live-agent.ts';
import type { Vault } from '../../credentials/vault.ts';
import { toShownCall } from '../calls-shown.ts';
import { newCallId } from '../ids.ts';
import { isOpen } from '../opening-hours.ts';
import { longestPrefix } from '../phone-number.ts';
import { zoneOf } from './calling-zone.ts';
import { roomOfCall } from './room.ts';

export interface AskDeps {
  db: Database;
  vault: Vault;
  clock: Clock;
}

/**
 * Notes down that somebody is to be called, once for an Idempotency-Key, and puts it on the worker's list: the call and its room are
 * stored before anything is dialled. Whatever is not permitted is refused here, where who asks is told why.
 * @throws Problem `number_not_found`, `agent_not_found`, `agent_disabled`, the caps' 429s, `outbound_not_allowed`, `language_not_configured`,
 * `invalid_request`, `consent_missing`, `time_zone_needed`, `outside_calling_hours`, `prefix_not_allowed`, `opted_out`, `dial_rate_limit`,
 * `daily_call_limit`, `daily_minute_limit`, `idempotency_key_reused`
 */
export async function askForCall(
  deps: AskDeps,
  acting: Acting,
  asked: AskForCallBody,
): Promise<{ call: CallShown; isRepeated: boolean }> {
  const { answer, isRepeated } = await once(deps, acting, async (tx) => {
    const number = await findNumber(tx, asked.from);
    if (!number) throw problems.numberNotFound();
    const agent = await agentFor(tx, deps, { asked, number });
    const row = await letOut(tx, deps, { asked, number, agent });
    await addJob(tx, 'place_call', { tenant: acting.tenant, call: row.id }, { key: `call ${row.id}` });
    await audited(tx, acting, {
      action: 'call.asked',
      target: row.id,
      details: { agent: agent.agent, from: asked.from },
    });
    return toShownCall(deps.vault, row);
  });
  return { call: answer, isRepeated };
}

interface Asked {
  asked: AskForCallBody;
  number: NumberRow;
  agent: LiveAgent;
}

async function agentFor(
  tx: Tx,
  { clock }: AskDeps,
  { asked, number }: Pick<Asked, 'asked' | 'number'>,
): Promise<LiveAgent> {
  const name = asked.agent ?? number.agent;
  if (name === null)
    throw problems.invalidRequest('Nobody answers at this number yet: name the "agent" that is to call.');
  const agent = await loadLiveAgent(tx, tx.tenant, name);
  if (!agent) throw problems.agentNotFound(name);
  refuseWhenClosed(agent);
  refuseUndeclared(agent, asked);
  refuseAtThisHour(agent, asked, clock.now());
  return agent;
}

/** What the agent's file says of calls. */
function refuseUndeclared(
  { agent, definition, settings }: LiveAgent,
  { language, variables, consent }: AskForCallBody,
): void {
  const outbound = settings.phone?.outbound;
  if (!outbound) throw problems.outboundNotAllowed(agent);
  if (language !== undefined)
    refuseLanguage(
      definition.languages.map(({ code }) => code),
      language,
    );
  const given = Object.keys(variables ?? {});
  const declared = Object.keys(outbound.variables);
  const unknown = given.find((name) => !declared.includes(name));
  if (unknown !== undefined)
    throw problems.invalidRequest(
      `"${unknown.slice(0, 40)}" is no variable of "${agent}". There are: ${declared.join(', ') || 'none'}.`,
    );
  const missing = declared.find((name) => outbound.variables[name]?.required && !given.includes(name));
  if (missing !== undefined) throw problems.invalidRequest(`"${agent}" needs the variable "${missing}".`);
  if (outbound.consent === 'required' && consent === undefined) throw problems.consentMissing();
}

function refuseLanguage(codes: readonly string[], language: string): void {
  if (codes.some((code) => code.toLowerCase() === language.toLowerCase())) return;
  throw problems.languageNotConfigured(language, codes);
}

function refuseAtThisHour({ settings }: LiveAgent, { to, timeZone }: AskForCallBody, now: Date): void {
  if (timeZone !== undefined && !isZone(timeZone))
    throw problems.invalidRequest('"timeZone" must be the IANA name of a time zone, such as Europe/Berlin.');
  const zone = timeZone ?? zoneOf(to);
  if (zone === undefined) throw problems.zoneUnknown();
  const open = settings.phone?.outbound?.hours ?? [];
  if (isOpen({ zone, open }, now)) return;
  const spans = open.map(({ days, from, to: until }) => `${days.join(', ')} ${from}–${until}`);
  throw problems.outsideCallingHours(`${spans.join('; ')}, ${zone}`);
}

/** What the trunk permits. Its row is locked: no two calls are let out on the same count. */
async function letOut(tx: Tx, { vault }: AskDeps, { asked, number, agent }: Asked): Promise<CallRow> {
  const trunk = await lockTrunk(tx, number.trunk_id);
  if (!trunk) throw problems.trunkNotFound();
  const prefix = longestPrefix(trunk.allowed_prefixes, asked.to);
  if (prefix === undefined) throw problems.prefixNotAllowed();
  const hashes = vault.hashesOfNumber(asked.to, tx.tenant);
  if (await isOptedOut(tx, hashes)) throw problems.optedOut();
  const leftSeconds = await refuseBeyondCaps(tx, trunk, prefix);
  const id = newCallId();
  const seal = (side: 'from' | 'to') => vault.seal(asked[side], { tenant: tx.tenant, call: id, side });
  const row = await insertCall(tx, tx.tenant, {
    ...{ id, direction: 'outbound', state: 'queued', room_name: roomOfCall(id), sip_call_id: null },
    ...{ trunk_id: trunk.id, number: number.number, agent: agent.agent, language: asked.language ?? number.language },
    ...{ from_sealed: seal('from'), to_sealed: seal('to'), other_hash: hashes[0] },
    ...{ variables: asked.variables ?? {}, consent: asked.consent ?? null, prefix },
    max_seconds: Math.min(leftSeconds, Math.ceil(agent.definition.limits.maxDurationMs / 1_000)),
    retentionMs: agent.definition.retentionMs,
  });
  if (!row) throw new Error('a call of this id is there already');
  return row;
}

/** Seconds that may still be spent today. @throws Problem `dial_rate_limit`, `daily_call_limit`, `daily_minute_limit` */
async function refuseBeyondCaps(tx: Tx, trunk: TrunkRow, prefix: string): Promise<number> {
  const made = await countCallsOfTrunk(tx, { trunk: trunk.id, prefix });
  if (made.last_minute >= trunk.max_dials_per_minute) throw problems.dialRate();
  if (made.calls_today >= trunk.max_calls_a_day) throw problems.callsOfDay(prefix);
  const left = trunk.max_minutes_a_day - made.minutes_today;
  if (left <= 0) throw problems.minutesOfDay(prefix);
  return left * 60;
}
