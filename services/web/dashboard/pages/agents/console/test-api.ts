import { bestEffort } from '../../../../client/best-effort.ts';
import type { ConversationApi } from '../../../../client/conversation/conversation.ts';
import { ApiProblem } from '../../../../client/request.ts';
import type { Connection, SessionDetails } from '../../../../client/shapes.ts';
import type { AccountApi } from '../../../account/account-api.ts';

/** What a test is asked for beside its language. */
export interface Tried {
  agent: string;
  /** Whether its webhook is told of it, as of any conversation. */
  webhook: boolean;
}

type Api = Pick<AccountApi, 'tryAgent' | 'session' | 'messages' | 'endSession'>;

/** Test conversations by the account API: opened, read and ended as the person who is signed in. */
export function testApi(api: Api, tenant: string): ConversationApi<Tried> {
  const connections = new Map<string, Connection>();
  return {
    createSession: async ({ agent: { agent, webhook }, language }) => {
      const connection = await api.tryAgent(tenant, { agent, language, interactionMode: 'TEXT', webhook });
      connections.set(connection.sessionId, connection);
      return connection;
    },
    // The way into the room stays good for as long as the session does.
    readSession: async (_agent, id) => {
      const { status } = await api.session(tenant, id);
      const connection = connections.get(id);
      if (status === 'ended' || !connection) throw new ApiProblem(409, 'session_ended', '');
      return connection;
    },
    endSession: (_agent, id) => api.endSession(tenant, id),
    endSessionOnLeave: (_agent, id) =>
      void bestEffort('the session ends by itself without a person', api.endSession(tenant, id)),
    readDetails: async (id) => {
      const [session, messages] = await Promise.all([api.session(tenant, id), api.messages(tenant, id)]);
      const toolCalls = session.toolCalls.map((call) => ({ arguments: undefined, result: undefined, ...call }));
      return { ...session, toolCalls, messages } satisfies SessionDetails;
    },
  };
}
