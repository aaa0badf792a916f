import { type Evidence, isKind, momentOf } from '../evidence.ts';
import { type Judge, short } from './judge.ts';
import { isIn, unproven } from './unwritten.ts';

/** Targets: 1 s for who leaves in order, 25 s for who vanishes, 5 s over through a crash of ours; and a second, since figures are whole ones. */
const errorSeconds = 1 + 1;
const crashSeconds = 5 + 1;
const vanishedSeconds = 25 + 1;
/** Longer than this without an agent nobody pays for (services/core/sessions/minutes.ts). */
const toleratedMs = 5_000;

export const minutesAreRight: Judge = {
  name: 'minutes are within their bounds, and the ledger is their sum',
  judge: (evidence) => [
    ...evidence.sessions.flatMap(({ id, billedSeconds }) => {
      const { least, most } = boundsOf(evidence, id);
      if (billedSeconds >= least && billedSeconds <= most) return [];
      return [`${short(id)} is billed ${billedSeconds} s, ${least.toFixed(1)} to ${most.toFixed(1)} are right`];
    }),
    ...(evidence.ledgerSeconds === evidence.billedSeconds
      ? []
      : [`the ledger counts ${evidence.ledgerSeconds} s, the sessions ${evidence.billedSeconds} s`]),
  ],
};

function boundsOf(evidence: Evidence, session: string): { least: number; most: number } {
  const present = longestPresenceMs(evidence, session);
  const mayBeOver = momentOf(evidence, session, 'vanished') === undefined ? crashSeconds : vanishedSeconds;
  if (present === undefined) return { least: 0, most: Infinity };
  return { least: attendedSeconds(evidence, session) - errorSeconds, most: present / 1_000 + mayBeOver };
}

/** From before the person was in the room until they were out of it beyond doubt; undefined if they never were, or are. */
function longestPresenceMs({ entries }: Evidence, session: string): number | undefined {
  const own = entries.filter((entry) => 'session' in entry && entry.session === session);
  const joined = own.find(isKind('joined'));
  const vanished = own.find(isKind('vanished'));
  const gone = own.find(isKind('left')) ?? own.find(isKind('was ended'));
  const untilMs = vanished?.atMs ?? gone?.untilMs;
  return joined && untilMs !== undefined ? untilMs - joined.sinceMs : undefined;
}

/** In which there was an agent, and others could know it: between replies that came soon after one another. */
function attendedSeconds(evidence: Evidence, session: string): number {
  const unpaid = unproven(evidence);
  const heardMs = evidence.entries
    .filter(isKind('heard'))
    .filter((entry) => entry.session === session)
    .map(({ atMs }) => atMs)
    .sort((a, b) => a - b);
  const gaps = heardMs.slice(1).map((toMs, index) => ({ fromMs: heardMs[index] ?? 0, toMs }));
  const attended = gaps.filter(({ fromMs, toMs }) => toMs - fromMs <= toleratedMs && !isIn(unpaid, fromMs));
  return attended.reduce((sum, { fromMs, toMs }) => sum + toMs - fromMs, 0) / 1_000;
}
