/** Whether the parts of an installation are there, for people; what runs it is told by metrics and alerts. */
import type { HealthPart, HealthShown, RunningRelease } from '../../contract/deployment-answers.ts';
import type { PartsRow } from '../../store/tables/life.ts';

/** A worker says every 2 s that it lives. */
const silentWorkerMs = 30_000;

export interface HealthFacts {
  /** Undefined: the database does not answer. */
  parts: PartsRow | undefined;
  /** The database had no room for something lately. */
  isFull: boolean;
  roomsAnswer: boolean;
  /** Undefined: they were not looked at, or the database does not answer. */
  releases: RunningRelease[] | undefined;
  /** How many machines there are, and what runs on them, is for whoever runs them. */
  withFigures: boolean;
  now: Date;
}

/** Pure. What can't be looked at, since the database does not answer, is `unknown`. */
export function serviceHealth({ parts, isFull, roomsAnswer, releases, withFigures, now }: HealthFacts): HealthShown {
  const told = [databasePart(parts, isFull), roomsPart(roomsAnswer), hostsPart(parts), workerPart(parts)];
  return {
    status: told.every(({ state }) => state === 'ok') ? 'ok' : 'degraded',
    checkedAt: now,
    parts: withFigures ? told : told.map((part) => ({ ...part, figures: null })),
    releases: withFigures ? (releases ?? null) : null,
  };
}

function databasePart(parts: PartsRow | undefined, isFull: boolean): HealthPart {
  const figures = parts ? { postgres: parts.postgres } : null;
  if (parts && isFull) {
    const how =
      'Its disk is full: nothing can be stored, and no conversation begins. Give it a larger one, or make room.';
    return { part: 'database', state: 'full', how, figures };
  }
  const how = 'Nothing works without it. Run parley doctor where the installation is run.';
  return { part: 'database', ...state(parts !== undefined, how), figures };
}

const roomsPart = (answers: boolean): HealthPart => ({
  part: 'rooms',
  ...state(
    answers,
    'The room server does not answer: no conversation begins. Run parley doctor where the installation is run.',
  ),
  figures: null,
});

function hostsPart(parts: PartsRow | undefined): HealthPart {
  if (!parts) return { part: 'hosts', ...unknown };
  const { hosts, draining, capacity, voice_capacity: voiceCapacity } = parts;
  return {
    part: 'hosts',
    ...state(hosts > 0, 'No agent host takes conversations: whoever begins one waits for an agent. Start a host.'),
    figures: { hosts, draining, capacity, voiceCapacity },
  };
}

function workerPart(parts: PartsRow | undefined): HealthPart {
  if (!parts) return { part: 'worker', ...unknown };
  const { worker_silent_ms: silentMs } = parts;
  return {
    part: 'worker',
    ...state(
      silentMs !== null && silentMs < silentWorkerMs,
      'No worker runs: webhooks, summaries and changes of files wait, and are made up for once one runs. Start a worker.',
    ),
    figures: silentMs === null ? null : { silentSeconds: Math.round(silentMs / 1_000) },
  };
}

const unknown = { state: 'unknown', how: null, figures: null } as const;

const state = (isThere: boolean, how: string): Pick<HealthPart, 'state' | 'how'> =>
  isThere ? { state: 'ok', how: null } : { state: 'down', how };
