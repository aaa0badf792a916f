import { type Evidence, isKind, momentOf } from '../evidence.ts';
import { type Judge, short } from './judge.ts';

/** A person whose way to the room server was cut is gone for everybody else: they may be written down as gone, and come back. */
const wayWasCut = ({ schedule }: Evidence) =>
  schedule.faults.some((fault) => fault.class === 'room server without network');

export const nobodyPresentIsGone: Judge = {
  name: 'nobody present is marked gone',
  judge: (evidence) => [
    ...evidence.takenForGone.map((session) => `${short(session)} talks, and nobody is known to be there`),
    ...endedTooEarly(evidence),
    ...(wayWasCut(evidence) ? [] : [...falseDepartures(evidence), ...thrownOut(evidence)]),
  ],
};

/** Sessions end when their caller says so, or when nobody is there any more. */
function endedTooEarly(evidence: Evidence): string[] {
  return evidence.sessions.flatMap(({ id, endReason, endWrittenMs }) => {
    const goneMs = momentOf(evidence, id, 'left') ?? momentOf(evidence, id, 'vanished');
    if (goneMs === undefined && endReason !== 'client_ended')
      return [`${short(id)} ended as ${endReason} with somebody there`];
    if (goneMs !== undefined && endWrittenMs !== undefined && endWrittenMs < goneMs)
      return [`${short(id)} was ended ${seconds(goneMs - endWrittenMs)} s before the person went (${endReason})`];
    return [];
  });
}

/** What is done and what is known of it are not the same moment. */
const toleranceMs = 1_000;
const seconds = (ms: number) => (ms / 1_000).toFixed(1);

function falseDepartures(evidence: Evidence): string[] {
  return evidence.departures.flatMap(({ session, atMs, by }) => {
    const joinedMs = momentOf(evidence, session, 'joined');
    const goneMs = (['left', 'vanished', 'was ended'] as const)
      .map((kind) => momentOf(evidence, session, kind))
      .filter((moment) => moment !== undefined);
    if (joinedMs === undefined || atMs < joinedMs || atMs >= Math.min(...goneMs) - toleranceMs) return [];
    return [`${short(session)} was written down as gone at ${seconds(atMs)} s by ${by}, and was there`];
  });
}

const thrownOut = ({ entries }: Evidence) =>
  entries
    .filter(isKind('lost the room'))
    .map(({ session, atMs, reason }) => `${short(session)} was thrown out at ${seconds(atMs)} s (${reason})`);
