import { freeTcpPort } from '../../scripts/toolchain/ports.ts';
import { type Node, startNodeNetwork } from '../support/network/nodes.ts';
import { startTcpProxy } from '../support/network/tcp-proxy.ts';
import { ServiceProcess } from '../support/world/service-process.ts';
import { type HostRole, hostRoles } from './faults.ts';

const forward = new URL('../support/network/forward.mjs', import.meta.url).pathname;

/** Where hosts and room server are: nodes of a network of their own if the machine allows it, else this machine. */
export interface Places extends AsyncDisposable {
  /** At which what runs here is reached from there. */
  readonly address: string;
  readonly nodes: { readonly hosts: Readonly<Record<HostRole, Node>>; readonly rooms: Node } | undefined;
  /** The address by which hosts call a server of this machine. Tools may be on the host's own machine only (development). */
  loopbackTo(url: string): Promise<string>;
}

export async function findPlaces(): Promise<Places> {
  const network = await startNodeNetwork(hostRoles.length + 1);
  const [first, second, rooms] = network?.nodes ?? [];
  const here = { address: '127.0.0.1', nodes: undefined, loopbackTo: async (url: string) => url };
  if (!network || !first || !second || !rooms) return { ...here, [Symbol.asyncDispose]: async () => undefined };
  const stack = new AsyncDisposableStack();
  stack.use(network);
  return {
    address: network.address,
    nodes: { hosts: { 'host 1': first, 'host 2': second }, rooms },
    loopbackTo: (url) => forwardFrom([first, second], network.address, url, stack),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

async function forwardFrom(
  nodes: readonly Node[],
  address: string,
  url: string,
  stack: AsyncDisposableStack,
): Promise<string> {
  const reached = stack.use(await startTcpProxy(Number(new URL(url).port), 0, address));
  const port = String(await freeTcpPort());
  for (const node of nodes) stack.use(new ServiceProcess(forward, {}, [port, address, String(reached.port)], node));
  return `http://127.0.0.1:${port}`;
}
