import { problems } from '../../contract/problems.ts';
import { bestEffort } from '../../process/best-effort.ts';
import type { Logger } from '../../process/logger.ts';
import type { Database } from '../../store/database.ts';
import { isRequestKnown } from '../../store/tables/sessions.ts';
import { keepUnusedAnswer, takeUnusedAnswer } from '../../store/tables/unused-answers.ts';
import type { LiveAgent } from '../agents/live-agent.ts';
import { sha256 } from '../sessions/ids.ts';
import { longestAnswer, type VerifyChallenge, variableOf } from './verify.ts';

export interface ChallengeDeps {
  db: Database;
  log: Logger;
  verifyChallenge: VerifyChallenge;
}

export interface Asked {
  agent: LiveAgent;
  keyHash: Buffer;
  /** What the request carries; undefined: nothing. */
  answer: string | undefined;
  /** Of its Idempotency-Key. */
  scopeHash: Buffer | undefined;
}

/** An answer that was verified, as it is kept when nothing comes of the request. */
export type Verified = Buffer;

/**
 * Lets a request pass whose person has solved the agent's challenge, where it has one. A repetition of a request that made a session
 * has shown its answer already. Providers take each but once, so one that a refused request had shown before is known by us. Gives the
 * answer where it was verified; undefined: there is none to be kept.
 * @throws Problem `challenge_required`, `unavailable`
 */
export async function askForChallenge(deps: ChallengeDeps, asked: Asked): Promise<Verified | undefined> {
  const { agent, answer, scopeHash } = asked;
  const { challenge } = agent.settings.sessions;
  if (!challenge) return undefined;
  const answerHash = answer === undefined ? undefined : sha256(asked.keyHash, 'challenge', answer);
  const before = await deps.db.asTenant(agent.tenant, async (tx) => {
    if (scopeHash && (await isRequestKnown(tx, scopeHash))) return 'made';
    return answerHash && (await takeUnusedAnswer(tx, answerHash)) ? 'verified' : undefined;
  });
  if (before === 'made') return undefined;
  if (before === 'verified') return answerHash;
  if (!answer) throw problems.challengeRequired('send its answer in X-Parley-Challenge');
  if (answer.length > longestAnswer) throw problems.challengeRequired('what X-Parley-Challenge has is no answer');
  switch (await deps.verifyChallenge(challenge, answer)) {
    case 'passed':
      return answerHash;
    case 'refused':
      throw problems.challengeRequired('the answer was refused, is too old, or was shown before; get a new one');
    case 'not_set_up':
      deps.log.error(
        { agent: agent.agent, variable: variableOf(challenge.provider) },
        'a challenge cannot be verified',
      );
      throw problems.challengeNotSetUp(variableOf(challenge.provider));
    case 'down':
      deps.log.warn({ agent: agent.agent, whenDown: challenge.whenDown }, 'the provider of challenges does not answer');
      if (challenge.whenDown !== 'admit') throw problems.challengeDown();
      return undefined;
  }
}

/** What a refused request has shown holds for its next attempt. */
export async function keepForNextAttempt({ db }: ChallengeDeps, tenant: string, verified: Verified): Promise<void> {
  await bestEffort(
    'the person is asked for another',
    db.asTenant(tenant, (tx) => keepUnusedAnswer(tx, tenant, verified)),
  );
}
