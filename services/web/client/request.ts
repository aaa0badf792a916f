import { bestEffort } from './best-effort.ts';

/** A refusal, or no answer at all (`status` 0). Its message is meant for the person at the page. */
export class ApiProblem extends Error {
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, message: string) {
    super(message);
    this.name = 'ApiProblem';
    this.status = status;
    this.code = code;
  }
}

export interface ApiRequest {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  url: string;
  headers: Record<string, string>;
  body?: string;
}

/** The body of the answer; undefined for one without a body (204). @throws ApiProblem */
export async function answer<Body>(request: ApiRequest): Promise<Body> {
  const response = await send(request);
  if (response.status === 204) return undefined as Body;
  const content: unknown = await bestEffort('what is not JSON is told below', response.json());
  if (content === undefined)
    throw new ApiProblem(response.status, 'unreadable', 'The API answered something that is not JSON.');
  return content as Body;
}

/** The answer with its body unread, once it is no refusal. @throws ApiProblem */
export async function send(
  { method, url, headers, body }: ApiRequest,
  options: Pick<RequestInit, 'signal'> = {},
): Promise<Response> {
  const init = { method, headers, ...options, ...(body === undefined ? {} : { body }) };
  const response = await fetch(url, init).catch(() => {
    throw new ApiProblem(0, 'unreachable', 'The API does not answer. Check that it is running and try again.');
  });
  if (response.ok) return response;
  throw refusal(response.status, await bestEffort('what is not JSON is told below', response.json()));
}

function refusal(status: number, content: unknown): ApiProblem {
  const { message, code } = (content ?? {}) as { message?: unknown; code?: unknown };
  return new ApiProblem(
    status,
    typeof code === 'string' ? code : 'unexplained',
    typeof message === 'string' ? message : `The API answered ${status} without saying why.`,
  );
}
