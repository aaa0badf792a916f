import { problems } from '../../contract/problems.ts';
import type { HistoryQuery } from '../../store/tables/session-history.ts';

const names = ['agent', 'status', 'channel', 'outcome', 'from', 'to', 'cursor', 'limit'] as const;
type Name = (typeof names)[number];

const mostItems = 100;
const usualItems = 50;
const longest = 200;

/** What a list of conversations is asked for. @throws Problem `invalid_request` that names what can't be used */
export function historyQuery(query: Record<string, unknown>): HistoryQuery & { cursor: string | undefined } {
  const unknown = Object.keys(query).find((name) => !names.some((one) => one === name));
  if (unknown !== undefined)
    throw problems.invalidRequest(`"${unknown.slice(0, 50)}" is no filter. There are: ${names.join(', ')}.`);
  const [from, to] = [timeIn(query, 'from'), timeIn(query, 'to')];
  const [agent, status] = [textIn(query, 'agent'), textIn(query, 'status')];
  const [channel, outcome, cursor] = [textIn(query, 'channel'), textIn(query, 'outcome'), textIn(query, 'cursor')];
  return { agent, status, channel, outcome, from, to, cursor, limit: limitIn(query) };
}

function textIn(query: Record<string, unknown>, name: Name): string | undefined {
  const given = query[name];
  if (given === undefined) return undefined;
  if (typeof given === 'string' && given !== '' && given.length <= longest && !given.includes('\0')) return given;
  throw problems.invalidRequest(`"${name}" must be given once, with 1 to ${longest} characters.`);
}

function timeIn(query: Record<string, unknown>, name: Name): string | undefined {
  const given = textIn(query, name);
  if (given === undefined) return undefined;
  const time = /^\d{4}-\d\d-\d\d(T[\d:.]+Z)?$/.test(given) ? Date.parse(given) : Number.NaN;
  if (Number.isNaN(time)) throw problems.invalidRequest(`"${name}" must be a time such as 2026-11-22T10:00:00Z.`);
  return new Date(time).toISOString();
}

function limitIn(query: Record<string, unknown>): number {
  const given = textIn(query, 'limit');
  if (given === undefined) return usualItems;
  const limit = Number(given);
  if (Number.isInteger(limit) && limit >= 1 && limit <= mostItems) return limit;
  throw problems.invalidRequest(`"limit" must be a whole number from 1 to ${mostItems}.`);
}
