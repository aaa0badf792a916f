import { useMemo, useState } from 'preact/hooks';
import { makeApi } from '../client/api-client.ts';
import { useConversation } from '../client/conversation/use-conversation.ts';
import type { ApiRequest } from '../client/request.ts';
import type { AgentChoice } from '../client/shapes.ts';
import { useAgents } from './use-agents.ts';
import { Chooser } from './views/chooser.tsx';
import { CurlPanel } from './views/curl-panel.tsx';
import { Ended } from './views/ended.tsx';
import { Talk } from './views/talk.tsx';

/** The page: choose, talk, read what came of it, begin anew. */
export function App({ origin }: { origin: string }) {
  const [requests, setRequests] = useState<ApiRequest[]>([]);
  const api = useMemo(() => makeApi(origin, (request) => setRequests((sent) => [...sent, request])), [origin]);
  const agents = useAgents(api);
  const { state, held, begin: hold, close } = useConversation<AgentChoice>(api);

  const begin = (agent: AgentChoice, language: string) => {
    setRequests([]);
    hold(agent, language);
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
      <Ended state={state} onNew={close} onAgain={() => begin(state.agent, state.language)}>
        {curl}
      </Ended>
    );
  }
  const speaks = state.agent.languages.some(({ code, speaks }) => speaks && code === state.language);
  return (
    <Talk
      state={state}
      voice={speaks ? held : undefined}
      onSay={(text) => held?.say(text)}
      onEnd={() => void held?.end()}
      onRejoin={() => void held?.rejoin()}
    >
      {curl}
    </Talk>
  );
}
