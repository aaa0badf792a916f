import { momentOf } from '../evidence.ts';
import { type Judge, short } from './judge.ts';

/** Of the tests' agent (test/agents/echo.yaml). */
const reconnectGraceMs = 5_000;
const mostMs = 60_000;

export const noSessionOutlivesItsPerson: Judge = {
  name: 'no session outlives its last proof of life by 60 s, beyond the grace',
  judge: (evidence) =>
    evidence.sessions.flatMap(({ id, endWrittenMs }) => {
      const goneMs = momentOf(evidence, id, 'left') ?? momentOf(evidence, id, 'vanished');
      if (goneMs === undefined) return [];
      if (endWrittenMs === undefined) return [`${short(id)} was never ended`];
      const afterMs = endWrittenMs - goneMs;
      return afterMs <= mostMs + reconnectGraceMs ? [] : [`${short(id)} was ended ${afterMs / 1_000} s afterwards`];
    }),
};
