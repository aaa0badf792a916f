/** One conversation as the REST API answers it. */
export interface CreatedSession {
  sessionId: string;
  wsUrl: string;
  token: string;
  voiceId?: string;
}

export interface EndedSession {
  sessionId: string;
  status: string;
  endReason: string;
  startedAt: string | null;
  endedAt: string;
  durationSeconds: number;
  billedSeconds: number;
}

/** A customer's backend: calls the REST API with the agent's key. */
export class Customer {
  readonly baseUrl: string;
  readonly apiKey: string;

  constructor(baseUrl: string, apiKey: string) {
    this.baseUrl = baseUrl;
    this.apiKey = apiKey;
  }

  call(
    method: string,
    path: string,
    { body, headers = {} }: { body?: unknown; headers?: Record<string, string> } = {},
  ): Promise<Response> {
    return fetch(`${this.baseUrl}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${this.apiKey}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(30_000),
    });
  }

  async createSession(
    request: Record<string, unknown> = {},
    headers: Record<string, string> = {},
  ): Promise<CreatedSession> {
    return this.#ok(await this.call('POST', '/api/sessions', { body: request, headers }));
  }

  async createToken(request: Record<string, unknown> = {}): Promise<{ token: string; wsUrl: string }> {
    return this.#ok(await this.call('POST', '/api/tokens', { body: request }));
  }

  async readSession(sessionId: string): Promise<CreatedSession> {
    return this.#ok(await this.call('GET', `/api/sessions/${sessionId}`));
  }

  async endSession(sessionId: string): Promise<EndedSession> {
    return this.#ok(await this.call('POST', `/api/sessions/${sessionId}/end`));
  }

  async #ok<Body>(response: Response): Promise<Body> {
    if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
    return (await response.json()) as Body;
  }
}
