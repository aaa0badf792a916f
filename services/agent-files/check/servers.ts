/** Where an agent's models and speech are asked: whoever writes agents may not send a host of ours into our own network. */
import type { AgentFile } from '../../contract/generated/agent.ts';
import { serverProblem } from '../definition/provider-servers.ts';
import type { Finding } from '../faults.ts';

interface Servers {
  isDevelopment: boolean;
  /** Undefined: not known here. */
  hosts: readonly string[] | undefined;
}

export const checkServers = (file: AgentFile, { isDevelopment, hosts }: Servers): Finding[] =>
  addressesIn(file).flatMap(({ baseUrl, path }): Finding[] => {
    const message = serverProblem(baseUrl, { isDevelopment, hosts: hosts ?? [] });
    if (message === undefined) return [];
    return [{ path, rule: 'server-address', message, severity: hosts === undefined ? 'warning' : 'error' }];
  });

/** Every `baseUrl` of a file, with its place; parts that are of the wrong kind have none. */
function addressesIn(value: unknown, path: readonly string[] = []): { baseUrl: string; path: string[] }[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, part]) =>
    key === 'baseUrl' && typeof part === 'string'
      ? [{ baseUrl: part, path: [...path, key] }]
      : addressesIn(part, [...path, key]),
  );
}
