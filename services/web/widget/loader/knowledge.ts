import type { LanguagesForWidget } from '../../../contract/widget.ts';
import { bestEffort } from '../../client/best-effort.ts';
import { isFresh, type Kept, keep, readKept } from './kept.ts';

export interface Knowledge {
  /** What was known last, without asking. */
  readonly facts: LanguagesForWidget | undefined;
  readonly refused: boolean;
  /** Asks where the last time is 10 minutes ago; whoever asks meanwhile waits for the same answer. */
  freshen(): Promise<void>;
  /** @throws Error with `status` when there is no answer and nothing was kept */
  needed(): Promise<LanguagesForWidget>;
}

interface Asking {
  origin: string;
  agentKey: string;
  client: string;
  warn(text: string): void;
}

/** What this browser knows of the agent: the last answer, asked for again at most once in 10 minutes. */
export function knowledgeOf({ origin, agentKey, client, warn }: Asking): Knowledge {
  let kept = readKept(agentKey);
  let asked: Promise<void> | undefined;

  const remember = (now: Kept) => {
    kept = now;
    keep(agentKey, now);
  };
  const ask = async (): Promise<void> => {
    const at = Date.now();
    const headers = { Authorization: `Bearer ${agentKey}`, 'X-Parley-Client': client };
    // Kept by ourselves, and longer: the browser's own copy would be one of another agent's of the same service.
    const asked = fetch(`${origin}/api/sessions/languages`, { headers, cache: 'no-store' });
    const response = await bestEffort('the last copy does', asked);
    const facts = response?.ok ? await bestEffort('the last copy does', response.json()) : undefined;
    if (facts) return remember({ at, facts: facts as LanguagesForWidget });
    if (response?.status === 401 || response?.status === 403) {
      const answer = (await bestEffort('its status says enough', response.json())) as { message?: string } | undefined;
      warn(`no conversation here: ${answer?.message ?? response.status}`);
      return remember({ at, refused: true });
    }
    // Too many ask, or the service is away: the last copy does, and nobody asks again soon.
    remember({ ...kept, at });
  };
  const isOld = () => !kept || !isFresh(kept, Date.now());
  const askOnce = () => {
    asked ??= ask().finally(() => {
      asked = undefined;
    });
    return asked;
  };

  return {
    get facts() {
      return kept?.facts;
    },
    get refused() {
      return kept?.refused === true;
    },
    freshen: async () => {
      if (isOld()) await askOnce();
    },
    needed: async () => {
      if (!kept?.facts && (!kept?.refused || isOld())) await askOnce();
      if (kept?.facts) return kept.facts;
      throw new Error(kept?.refused ? 'agent_disabled' : 'network');
    },
  };
}
