import { endReasons } from '../../contract/end-reasons.ts';
import { outcomes, sentiments } from '../../contract/session.ts';
import type { HistoryAsked } from '../../core/insight/session-history.ts';
import { choiceIn, hashIn, knownOnly, limitIn, type Query, textIn, timeIn } from './query.ts';

/** What lists and exports of conversations are filtered by. */
export const historyFilters = [
  ...['agent', 'version', 'commit', 'channel', 'mode', 'status', 'outcome', 'sentiment', 'endReason', 'toolFailed'],
  ...['test', 'words', 'from', 'to'],
];

const limits = { usual: 50, most: 100 };

/** What a list of conversations is asked for. @throws Problem `invalid_request` that names what can't be used */
export function historyQuery(query: Query): HistoryAsked {
  knownOnly(query, [...historyFilters, 'cursor', 'limit']);
  return { ...filtersIn(query), cursor: textIn(query, 'cursor'), limit: limitIn(query, limits) };
}

/** @throws Problem `invalid_request` */
export function filtersIn(query: Query): Omit<HistoryAsked, 'cursor' | 'limit'> {
  return {
    agent: textIn(query, 'agent'),
    version: hashIn(query, 'version'),
    commit: hashIn(query, 'commit'),
    channel: choiceIn(query, 'channel', ['phone', 'widget', 'api']),
    mode: choiceIn(query, 'mode', ['VOICE', 'TEXT']),
    status: choiceIn(query, 'status', ['created', 'running', 'ended']),
    outcome: choiceIn(query, 'outcome', outcomes),
    sentiment: choiceIn(query, 'sentiment', sentiments),
    endReason: choiceIn(query, 'endReason', endReasons),
    toolFailed: flagIn(query, 'toolFailed'),
    test: flagIn(query, 'test'),
    words: textIn(query, 'words'),
    from: timeIn(query, 'from')?.toISOString(),
    to: timeIn(query, 'to')?.toISOString(),
  };
}

function flagIn(query: Query, name: string): boolean | undefined {
  const given = choiceIn(query, name, ['true', 'false']);
  return given === undefined ? undefined : given === 'true';
}
