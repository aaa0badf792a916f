import { useEffect, useMemo, useReducer, useRef, useState } from 'preact/hooks';
import { makeApi } from '../client/api-client.ts';
import type { ApiRequest } from '../client/request.ts';
import { joinRoom } from '../client/room-client.ts';
import type { AgentChoice } from '../client/shapes.ts';
import { type HeldConversation, holdConversation } from './conversation/conversation.ts';
import { beginState, type ConversationState, type Fact, learn } from './conversation/state.ts';
import { useAgents } from './use-agents.ts';
import { Chooser } from './views/chooser.tsx';
import { CurlPanel } from './views/curl-panel.tsx';
import { Ended } from './views/ended.tsx';
import { Talk } from './views/talk.tsx';

type PageFact = Fact | { kind: 'began'; agent: AgentChoice; language: string } | { kind: 'closed' };

function turnPage(state: ConversationState | undefined, fact: PageFact): ConversationState | undefined {
  if (fact.kind === 'began') return beginState(fact.agent, fact.language);
  if (fact.kind === 'closed') return undefined;
  return state && learn(state, fact);
}

/** The page: choose, talk, read what came of it, begin anew. */
export function App({ origin }: { origin: string }) {
  const [requests, setRequests] = useState<ApiRequest[]>([]);
  const api = useMemo(() => makeApi(origin, (request) => setRequests((sent) => [...sent, request])), [origin]);
  const agents = useAgents(api);
  const [state, turn] = useReducer(turnPage, undefined);
  const held = useRef<HeldConversation>(undefined);

  useEffect(() => {
    const abandon = () => held.current?.abandon();
    addEventListener('pagehide', abandon);
    return () => removeEventListener('pagehide', abandon);
  }, []);

  const begin = (agent: AgentChoice, language: string) => {
    held.current?.forget();
    setRequests([]);
    turn({ kind: 'began', agent, language });
    held.current = holdConversation({ api, join: joinRoom, learn: turn }, agent, language);
  };
  const startOver = () => {
    held.current?.forget();
    held.current = undefined;
    turn({ kind: 'closed' });
  };

  const curl = <CurlPanel requests={requests} sessionId={state?.sessionId} />;
  if (!state || state.phase === 'refused') {
    return (
      <Chooser agents={agents} chosenBefore={state} refusal={state?.problem} onStart={begin}>
        {state && curl}
      </Chooser>
    );
  }
  if (state.phase === 'ended') {
    return (
      <Ended state={state} onNew={startOver} onAgain={() => begin(state.agent, state.language)}>
        {curl}
      </Ended>
    );
  }
  const speaks = state.agent.languages.some(({ code, speaks }) => speaks && code === state.language);
  return (
    <Talk
      state={state}
      voice={speaks ? held.current : undefined}
      onSay={(text) => held.current?.say(text)}
      onEnd={() => void held.current?.end()}
      onRejoin={() => void held.current?.rejoin()}
    >
      {curl}
    </Talk>
  );
}
