import { type ApiRequest, answer, bodyOf, send } from '../../../client/request.ts';
import type { Connection, Figures } from '../../../client/shapes.ts';

export interface Wishes {
  language: string;
  interactionMode: 'TEXT' | 'VOICE';
  voiceId?: string;
}

/** How a conversation is begun. */
export interface Beginning {
  /** The same while one conversation is being begun: an answer that was lost leaves no second session. */
  idempotencyKey: string;
  /** What the provider of the challenge gave for it; taken once. */
  challenge: string | undefined;
}

export interface Created {
  connection: Connection;
  agentWithinSeconds: number | undefined;
}

export interface Api {
  create(wishes: Wishes, beginning: Beginning): Promise<Created>;
  read(sessionId: string): Promise<Created>;
  end(sessionId: string): Promise<Figures>;
}

/** The public interface, with the agent's key. Its refusals are `ApiProblem`s. */
export function makeApi({ origin, agentKey, client }: { origin: string; agentKey: string; client: string }): Api {
  const headers = { Authorization: `Bearer ${agentKey}`, 'X-Parley-Client': client };
  const reading = new Map<string, Promise<Created>>();
  const created = async (request: ApiRequest): Promise<Created> => {
    const response = await send(request);
    const seconds = Number(response.headers.get('X-Parley-Agent-Within') ?? Number.NaN);
    return {
      connection: await bodyOf<Connection>(response),
      agentWithinSeconds: Number.isFinite(seconds) ? seconds : undefined,
    };
  };
  const urlOf = (sessionId: string) => `${origin}/api/sessions/${encodeURIComponent(sessionId)}`;

  return {
    create: (wishes, { idempotencyKey, challenge }) =>
      created({
        method: 'POST',
        url: `${origin}/api/sessions`,
        headers: {
          ...headers,
          'Content-Type': 'application/json',
          'Idempotency-Key': idempotencyKey,
          ...(challenge === undefined ? {} : { 'X-Parley-Challenge': challenge }),
        },
        body: JSON.stringify(wishes),
      }),
    /** Whoever reads the same session at once waits for one answer. */
    read: (sessionId) => {
      const under = reading.get(sessionId) ?? created({ method: 'GET', url: urlOf(sessionId), headers });
      reading.set(sessionId, under);
      return under.finally(() => reading.delete(sessionId));
    },
    end: (sessionId) => answer<Figures>({ method: 'POST', url: `${urlOf(sessionId)}/end`, headers }),
  };
}
