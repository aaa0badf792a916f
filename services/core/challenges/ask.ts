import { problems } from '../../contract/problems.ts';
import type { Logger } from '../../process/logger.ts';
import type { Database } from '../../store/database.ts';
import { isRequestKnown } from '../../store/tables/sessions.ts';
import type { LiveAgent } from '../agents/live-agent.ts';
import { longestAnswer, type VerifyChallenge, variableOf } from './verify.ts';

export interface ChallengeDeps {
  db: Database;
  log: Logger;
  verifyChallenge: VerifyChallenge;
}

export interface Asked {
  agent: LiveAgent;
  /** What the request carries; undefined: nothing. */
  answer: string | undefined;
  /** Of its Idempotency-Key. */
  scopeHash: Buffer | undefined;
}

/**
 * Lets a request pass whose person has solved the agent's challenge, where it has one. A repetition of a request that made a session
 * has shown its answer already, and providers take each but once.
 * @throws Problem `challenge_required`, `unavailable`
 */
export async function askForChallenge(deps: ChallengeDeps, { agent, answer, scopeHash }: Asked): Promise<void> {
  const { challenge } = agent.settings.sessions;
  if (!challenge) return;
  if (scopeHash && (await deps.db.asTenant(agent.tenant, (tx) => isRequestKnown(tx, scopeHash)))) return;
  if (!answer) throw problems.challengeRequired('send its answer in X-Parley-Challenge');
  if (answer.length > longestAnswer) throw problems.challengeRequired('what X-Parley-Challenge has is no answer');
  switch (await deps.verifyChallenge(challenge, answer)) {
    case 'passed':
      return;
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
  }
}
