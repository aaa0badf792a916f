import { bestEffort } from './best-effort.ts';
import { type ApiRequest, answer } from './request.ts';
import type { AgentChoice, Connection, Figures, Refusal, SessionDetails } from './shapes.ts';

export interface SessionChoice {
  agent: AgentChoice;
  language: string;
}

export type Api = ReturnType<typeof makeApi>;

/** The calls of this page. `sent` is told of each call of the public interface, so that it can be shown as curl. */
export function makeApi(origin: string, sent: (request: ApiRequest) => void) {
  const call = async <Body>(request: ApiRequest): Promise<Body> => {
    sent(request);
    return answer<Body>(request);
  };
  const session = (agent: AgentChoice, id: string, action = ''): ApiRequest => ({
    method: action ? 'POST' : 'GET',
    url: `${origin}/api/sessions/${encodeURIComponent(id)}${action}`,
    headers: authorization(agent),
  });

  return {
    listAgents: () => answer<AgentChoice[]>({ method: 'GET', url: `${origin}/try/api/agents`, headers: {} }),
    readRefusal: () => answer<Refusal | null>({ method: 'GET', url: `${origin}/try/api/refusal`, headers: {} }),
    createSession: ({ agent, language }: SessionChoice) =>
      call<Connection>({
        method: 'POST',
        url: `${origin}/api/sessions`,
        headers: { ...authorization(agent), 'Content-Type': 'application/json' },
        body: JSON.stringify({ language, interactionMode: 'TEXT' }),
      }),
    readSession: (agent: AgentChoice, id: string) => call<Connection>(session(agent, id)),
    endSession: (agent: AgentChoice, id: string) => call<Figures>(session(agent, id, '/end')),
    /** For a page that is closing: the request outlives it, nobody reads the answer. */
    endSessionOnLeave: (agent: AgentChoice, id: string): void => {
      const { url, headers } = session(agent, id, '/end');
      const ended = fetch(url, { method: 'POST', headers, keepalive: true });
      void bestEffort('the session ends by itself without a person', ended);
    },
    readDetails: (id: string) =>
      answer<SessionDetails>({
        method: 'GET',
        url: `${origin}/try/api/sessions/${encodeURIComponent(id)}`,
        headers: {},
      }),
  };
}

const authorization = (agent: AgentChoice) => ({ Authorization: `Bearer ${agent.apiKey}` });
