import { bestEffort } from '../../../client/best-effort.ts';
import { randomId } from '../../../client/random-id.ts';
import { answerOf } from './answer.ts';
import type { Api, Created, Wishes } from './api.ts';
import { codeOf, mayBeTriedAgain } from './problems.ts';

export interface BeginningParts {
  api: Pick<Api, 'create' | 'end'>;
  /** What the conversation is to be held in. */
  wishes(): Promise<Omit<Wishes, 'interactionMode'>>;
  /** What shows that a person begins it, anew each time; undefined: the agent asks for nothing. @throws Error `challenge_required` */
  challenge?: (() => Promise<string | undefined>) | undefined;
  /** False once it is about another conversation: nothing more is asked then. */
  isMine(): boolean;
  /** It cannot be spoken, and begins in writing. */
  onUnspoken(): void;
  /** Resolves when it is time for the next attempt. */
  untilNext(attempt: number, error: unknown): Promise<void>;
}

export type Mode = Wishes['interactionMode'];
type Begun = ({ created: Created } | { refusal: unknown }) & { mode: Mode };

/** So often a beginning is tried before the person is asked to. */
const mostAttempts = 4;

/** One session for what was written or said, however often it takes; undefined once it is about another conversation. */
export async function begin(parts: BeginningParts, wanted: Mode): Promise<Begun | undefined> {
  const create = creating(parts);
  let mode = wanted;
  for (let attempt = 0; parts.isMine(); attempt += 1) {
    try {
      const created = await create.attempt(mode);
      return created && { created, mode };
    } catch (error) {
      const isLast = attempt + 1 >= mostAttempts;
      if (mode === 'VOICE' && codeOf(error) === 'voice_unavailable') {
        mode = 'TEXT';
        parts.onUnspoken();
      } else if (isLast) {
        return { refusal: error, mode };
      } else if (!create.isWorn(error)) {
        if (!mayBeTriedAgain(error)) return { refusal: error, mode };
        await parts.untilNext(attempt, error);
      }
    }
  }
  return undefined;
}

/** Attempts at one session: each has the same key, and the answer that the person gave once. */
function creating({ api, wishes, challenge, isMine }: BeginningParts) {
  const idempotencyKey = randomId();
  const answer = answerOf(challenge);
  return {
    attempt: async (interactionMode: Mode): Promise<Created | undefined> => {
      const wanted = { ...(await wishes()), interactionMode };
      // Another body under the same key would be refused.
      const key = `${idempotencyKey}-${interactionMode.toLowerCase()}`;
      const shown = await answer.show();
      if (!isMine()) return undefined;
      const created = await api.create(wanted, { idempotencyKey: key, challenge: shown });
      if (isMine()) return created;
      // The person ended it before it was there.
      void bestEffort('nobody joins it, and it ends by itself', api.end(created.connection.sessionId));
      return undefined;
    },
    isWorn: answer.isWorn,
  };
}
