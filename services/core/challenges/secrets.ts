import type { Challenge } from '../../agent-files/definition/compiled.ts';
import type { Logger } from '../../process/logger.ts';
import type { Database } from '../../store/database.ts';
import { everyLiveAgent } from '../agents/every-live-agent.ts';
import { type ChallengeSettings, variableOf } from './verify.ts';

/** The variable that an agent's challenge needs and the API has not been given; undefined: nothing is missing. */
export type MissingSecret = (challenge: Pick<Challenge, 'provider'> | undefined) => string | undefined;

export const missingSecretIn =
  (given: ChallengeSettings): MissingSecret =>
  (challenge) =>
    challenge && given[challenge.provider] === undefined ? variableOf(challenge.provider) : undefined;

/** Tells, before anybody asks, which live agents refuse everybody because their challenge cannot be verified here. */
export async function tellMissingSecrets(db: Database, missingSecret: MissingSecret, log: Logger): Promise<void> {
  for await (const { agent, settings } of everyLiveAgent(db)) {
    const variable = missingSecret(settings.sessions.challenge);
    if (variable !== undefined)
      log.warn(
        { agent, variable },
        'a live agent asks for a challenge whose secret is not set here: it refuses all pages',
      );
  }
}
