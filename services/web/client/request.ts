import { bestEffort } from './best-effort.ts';

/** A refusal, or no answer at all (`status` 0). Its message is meant for the person at the page. */
export class ApiProblem extends Error {
  readonly status: number;
  readonly code: string;
  /** When the service asks to be left alone for so long. */
  readonly retryAfterSeconds: number | undefined;

  constructor(status: number, code: string, message: string, retryAfterSeconds?: number) {
    super(message);
    this.name = 'ApiProblem';
    this.status = status;
    this.code = code;
    this.retryAfterSeconds = retryAfterSeconds;
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
  return bodyOf<Body>(await send(request));
}

/** The body of an answer that is no refusal; undefined for one without a body (204). @throws ApiProblem when it is not JSON */
export async function bodyOf<Body>(response: Response): Promise<Body> {
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
  throw refusal(response, await bestEffort('what is not JSON is told below', response.json()));
}

function refusal({ status, headers }: Response, content: unknown): ApiProblem {
  const seconds = Number(headers.get('Retry-After') ?? Number.NaN);
  const { message, code } = (content ?? {}) as { message?: unknown; code?: unknown };
  return new ApiProblem(
    status,
    typeof code === 'string' ? code : 'unexplained',
    typeof message === 'string' ? message : `The API answered ${status} without saying why.`,
    Number.isFinite(seconds) ? seconds : undefined,
  );
}
