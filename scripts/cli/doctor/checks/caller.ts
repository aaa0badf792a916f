/** Who asks the installation, as a customer's page would. */
export interface Caller {
  url: string;
  /** Of any agent: `pk_…`. */
  key: string;
}

const deadlineMs = 15_000;

/** @throws when nothing answers in time */
export const callApi = (
  { url, key }: Caller,
  path: string,
  { headers, ...asked }: RequestInit = {},
): Promise<Response> =>
  fetch(`${url}${path}`, {
    ...asked,
    headers: { authorization: `Bearer ${key}`, ...headers },
    signal: AbortSignal.timeout(deadlineMs),
  });
