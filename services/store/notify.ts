import { bestEffort } from '../process/best-effort.ts';
import { type Queryable, sql } from './sql.ts';

/** What is told to other processes after a commit. Payloads are ids; who misses one looks for itself within a poll. */
export const channels = {
  /** A session waits for a host: payload is the host's id, or empty for any. */
  work: 'parley_work',
  /** The agent of a session is in its room: payload is the session's id. */
  ready: 'parley_ready',
  /** Something happened to a session that its host should know: payload is `<what> <session id>`, what being `joined`, `text`, `limit` (a cap is used up) or `ended`. */
  session: 'parley_session',
  /** A call is refused, and a host is to say so: payload is `<host> <tenant> <call>`. */
  refusal: 'parley_refusal',
  /** An agent's version, settings or credentials changed: payload is `<tenant> <agent>`. */
  agents: 'parley_agents',
} as const;

export interface Notifier {
  /** Tells soon, together with what else is told within a few milliseconds. Never throws; a lost notice is found by polling. */
  tell(channel: string, payload: string): void;
}

/** Notices go out together, after the commits they speak of: a NOTIFY inside a transaction would make all such commits queue up. */
const coalesceMs = 3;
const maxWaiting = 1_000;

export function makeNotifier(q: Queryable): Notifier {
  let waiting = new Map<string, readonly [string, string]>();
  let timer: NodeJS.Timeout | undefined;
  const flush = () => {
    timer = undefined;
    const notices = [...waiting.values()];
    waiting = new Map();
    const told = q.query(
      sql`select pg_notify(c, p) from unnest(${notices.map(([c]) => c)}::text[], ${notices.map(([, p]) => p)}::text[]) as n (c, p)`,
    );
    void bestEffort('whoever listens looks by itself as well', told);
  };
  return {
    tell: (channel, payload) => {
      if (waiting.size >= maxWaiting) return;
      waiting.set(`${channel} ${payload}`, [channel, payload]);
      if (timer === undefined) timer = setTimeout(flush, coalesceMs);
    },
  };
}
