import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { GitHost } from '../../../services/core/git/commit-status.ts';

export interface PostedStatus {
  commit: string;
  state: string;
  context: string;
  description: string;
}

/** What a host does instead of answering in order. */
export type Trouble = 'stalls' | 'redirects' | 'talks without end' | { status: number };

/**
 * The commit-status API of a Git host, with its own paths, states, credentials, limits and error bodies. One repository,
 * `team/agents`, in which every commit of 40 digits is known except those that begin with `dead`.
 */
export class GitHostApi implements AsyncDisposable {
  readonly host: GitHost;
  readonly token: string;
  readonly posted: PostedStatus[] = [];
  /** Everything that was asked, answered in order or not. */
  asked = 0;
  trouble: Trouble | undefined;
  readonly #server = createServer((request, response) => void this.#answer(request, response));

  private constructor(host: GitHost, token: string) {
    this.host = host;
    this.token = token;
  }

  static async start(host: GitHost, { token = 'host-token-0123456789' } = {}): Promise<GitHostApi> {
    const api = new GitHostApi(host, token);
    await once(api.#server.listen(0, '127.0.0.1'), 'listening');
    return api;
  }

  /** The repository's address, as an operator writes it. */
  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}${dialects[this.host].repository}`;
  }

  /** Newest last. */
  of = (commit: string): PostedStatus[] => this.posted.filter((status) => status.commit === commit);

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.asked += 1;
    const json = (status: number, body: unknown) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    const body: unknown = JSON.parse((await request.toArray()).join('') || 'null');
    if (this.trouble === 'stalls') return;
    if (this.trouble === 'redirects') {
      response.writeHead(302, { location: `${this.url}/elsewhere` }).end();
      return;
    }
    if (this.trouble === 'talks without end') {
      response.writeHead(201, { 'content-type': 'application/json' });
      response.write('x'.repeat(1024 * 1024));
      return;
    }
    if (this.trouble) return void json(this.trouble.status, { message: `this is ${this.trouble.status}` });
    const dialect = dialects[this.host];
    const commit = new RegExp(`^${dialect.repository}/statuses/([0-9a-f]{40})$`).exec(request.url ?? '')?.[1];
    if (!dialect.isAllowed(request, this.token)) return void json(401, dialect.unauthorized);
    if (request.method !== 'POST' || commit === undefined) return void json(404, dialect.notFound);
    if (commit.startsWith('dead')) return void json(...dialect.unknownCommit(commit));
    const { state, context, description } = body as PostedStatus;
    if (!dialect.states.includes(state)) return void json(...dialect.invalid('state'));
    if (description.length > dialect.longestDescription) return void json(...dialect.invalid('description'));
    this.posted.push({ commit, state, context, description });
    json(201, { id: this.posted.length, [this.host === 'github' ? 'state' : 'status']: state, description });
  }
}

interface Dialect {
  repository: string;
  states: readonly string[];
  longestDescription: number;
  isAllowed(request: IncomingMessage, token: string): boolean;
  unauthorized: unknown;
  notFound: unknown;
  unknownCommit(commit: string): [number, unknown];
  invalid(field: string): [number, unknown];
}

const docs = 'https://docs.github.com/rest/commits/statuses#create-a-commit-status';

const dialects: Record<GitHost, Dialect> = {
  github: {
    repository: '/repos/team/agents',
    states: ['error', 'failure', 'pending', 'success'],
    longestDescription: 140,
    // GitHub refuses a request without User-Agent.
    isAllowed: ({ headers }, token) =>
      headers.authorization === `Bearer ${token}` && headers['user-agent'] !== undefined,
    unauthorized: { message: 'Bad credentials', documentation_url: 'https://docs.github.com/rest', status: '401' },
    notFound: { message: 'Not Found', documentation_url: docs, status: '404' },
    unknownCommit: (commit) => [
      422,
      { message: `No commit found for SHA: ${commit}`, documentation_url: docs, status: '422' },
    ],
    invalid: (field) => [
      422,
      {
        message: 'Validation Failed',
        errors: [{ resource: 'Status', code: 'custom', field, message: `${field} is not valid` }],
        documentation_url: docs,
        status: '422',
      },
    ],
  },
  gitlab: {
    repository: '/api/v4/projects/team%2Fagents',
    states: ['pending', 'running', 'success', 'failed', 'canceled', 'skipped'],
    longestDescription: 255,
    isAllowed: ({ headers }, token) => headers['private-token'] === token,
    unauthorized: { message: '401 Unauthorized' },
    notFound: { message: '404 Project Not Found' },
    unknownCommit: () => [404, { message: '404 Commit Not Found' }],
    invalid: (field) => [400, { error: `${field} does not have a valid value` }],
  },
  gitea: {
    repository: '/api/v1/repos/team/agents',
    states: ['pending', 'success', 'error', 'failure', 'warning'],
    longestDescription: 255,
    isAllowed: ({ headers }, token) => headers.authorization === `token ${token}`,
    unauthorized: { message: 'invalid username, password or token', url: 'https://gitea.example.com/api/swagger' },
    notFound: { errors: null, message: 'The target couldn’t be found.', url: 'https://gitea.example.com/api/swagger' },
    unknownCommit: () => [404, { errors: null, message: 'object does not exist' }],
    invalid: (field) => [422, { message: `[${field}]: Unknown`, url: 'https://gitea.example.com/api/swagger' }],
  },
};
