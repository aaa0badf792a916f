import type { Logger } from 'pino';
import { missingKeys } from '../../agent-files/definition/provider-keys.ts';
import { everyLiveAgent } from '../../core/agents/every-live-agent.ts';
import type { Variables } from '../../process/variables.ts';
import type { Database } from '../../store/database.ts';

/** Tells, before anybody calls, which keys the live agents name that this process has not been given. */
export async function tellMissingKeys(db: Database, env: Variables, logger: Logger): Promise<void> {
  for await (const { agent, definition } of everyLiveAgent(db)) {
    const missing = missingKeys(definition, env);
    if (missing.length > 0) logger.warn({ agent, missing }, 'a live agent needs keys that are not set here');
  }
}
