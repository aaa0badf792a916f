import { useEffect, useReducer, useRef } from 'preact/hooks';
import { joinRoom } from '../room-client.ts';
import {
  type ConversationApi,
  type ConversationWords,
  type HeldConversation,
  holdConversation,
} from './conversation.ts';
import { beginState, type ConversationState, type Fact, learn } from './state.ts';

type PageFact<Agent> = Fact | { kind: 'began'; agent: Agent; language: string } | { kind: 'closed' };

const turned = <Agent>(
  state: ConversationState<Agent> | undefined,
  fact: PageFact<Agent>,
): ConversationState<Agent> | undefined => {
  if (fact.kind === 'began') return beginState(fact.agent, fact.language);
  if (fact.kind === 'closed') return undefined;
  return state && learn(state, fact);
};

/** One conversation at a time on a page: undefined before the first and after `close`. It ends when its page goes away. */
export function useConversation<Agent>(api: ConversationApi<Agent>, words?: ConversationWords) {
  const [state, turn] = useReducer(turned<Agent>, undefined);
  const held = useRef<HeldConversation>(undefined);

  useEffect(() => {
    const abandon = () => held.current?.abandon();
    addEventListener('pagehide', abandon);
    return () => {
      removeEventListener('pagehide', abandon);
      held.current?.forget();
    };
  }, []);

  return {
    state,
    held: held.current,
    begin: (agent: Agent, language: string) => {
      held.current?.forget();
      turn({ kind: 'began', agent, language });
      const deps = { api, join: joinRoom, learn: turn, ...(words ? { words } : {}) };
      held.current = holdConversation(deps, agent, language);
    },
    close: () => {
      held.current?.forget();
      held.current = undefined;
      turn({ kind: 'closed' });
    },
  };
}
