/** Where servers of models and speech may be that an agent names (`baseUrl`): the operator's word goes before the author's. */
import { isInsideAddress, isLoopbackAddress } from '../../process/outbound/inside-address.ts';
import type { Reach } from '../../process/outbound/reach.ts';
import type { Variables } from '../../process/variables.ts';
import { settings } from '../../settings/settings.ts';

export interface ProviderServers {
  isDevelopment: boolean;
  /** Hosts of the operator's own, such as `models.internal:8000`. */
  hosts: readonly string[];
}

/** As the variables of a process tell it. Without them nothing is allowed that needs to be. */
export const serversIn = (variables: Variables): ProviderServers => ({
  isDevelopment: variables[settings.environment.name] === 'development',
  hosts: settings.providerHosts.parse(variables[settings.providerHosts.name] ?? '') ?? [],
});

/** What connections to a server may lead to: its name is resolved after this was asked. */
export function reachOf(baseUrl: string, servers: ProviderServers): Reach {
  if (isListed(baseUrl, servers)) return 'anywhere';
  return servers.isDevelopment ? 'machine' : 'outside';
}

/** A sentence that says why an agent's provider may not be at this address, or undefined when it may. It looks at the text alone. */
export function serverProblem(baseUrl: string, servers: ProviderServers): string | undefined {
  if (!URL.canParse(baseUrl)) return 'This is not a complete address; write one such as https://models.example.com/v1.';
  const { protocol, hostname, username, password, host } = new URL(baseUrl);
  if (username !== '' || password !== '') return 'The address must not hold a user name or a password: name its key.';
  if (isListed(baseUrl, servers)) return undefined;
  const { isDevelopment } = servers;
  if (isDevelopment && isThisMachine(hostname)) return undefined;
  const unlessListed = `unless the operator lists ${host} in ${settings.providerHosts.name}`;
  if (!/^(?:https|wss):$/.test(protocol)) return `The address must begin with https://, ${unlessListed}.`;
  if (leadsInside(hostname)) return `The address leads inside, which is refused ${unlessListed}.`;
  return undefined;
}

function isListed(baseUrl: string, { hosts }: ProviderServers): boolean {
  const { host, hostname } = new URL(baseUrl);
  return hosts.includes(host) || hosts.includes(hostname);
}

const bare = (hostname: string) => hostname.replace(/^\[|\]$/g, '');

const isThisMachine = (hostname: string) =>
  /^(?:.+\.)?localhost\.?$/.test(hostname) || isLoopbackAddress(bare(hostname));

/** A name leads where its servers say; that is asked when it is connected to. */
const leadsInside = (hostname: string) =>
  isThisMachine(hostname) || (/^\[|^[\d.]+$/.test(hostname) && isInsideAddress(bare(hostname)));
