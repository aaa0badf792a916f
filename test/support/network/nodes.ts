import { execFile } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { promisify } from 'node:util';
import { bestEffort } from '../../../services/process/best-effort.ts';

const run = promisify(execFile);
const ip = (...args: string[]) => run('ip', args).then(({ stdout }) => stdout);

/** A machine of its own as far as the network goes: a network namespace (Linux, root), joined to the others by a cable that can be pulled. */
export interface Node {
  /** By which the test and the other nodes reach it. */
  readonly address: string;
  readonly networkInterface: string;
  /** The command that runs a command there. */
  inside(file: string, args: readonly string[]): [file: string, args: string[]];
  /** Pulls its cable: packets are lost in both directions, and nobody hears of an end. */
  unplug(): Promise<void>;
  plug(): Promise<void>;
  /** Packets between the two are lost, and nothing else is. */
  cutOffFrom(other: Node): Promise<void>;
  reach(other: Node): Promise<void>;
}

/** The nodes, and this machine, on one switch. */
export interface NodeNetwork extends AsyncDisposable {
  /** This machine's address there. */
  readonly address: string;
  readonly nodes: readonly Node[];
}

/** Its networks are named after the process, so that what a killed one has left can be told. */
const prefix = 'pn';
let made = 0;

/** Undefined where the machine does not allow it: no Linux, no root, no `ip`, or a container without the capability. */
export async function startNodeNetwork(count: number): Promise<NodeNetwork | undefined> {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return undefined;
  await bestEffort('what is left of others costs little', removeLeftovers());
  made += 1;
  const name = `${prefix}${process.pid}x${made}`;
  const subnet = `10.${180 + (process.pid % 40)}.${(process.pid + made) % 250}`;
  try {
    return await build(name, subnet, count);
  } catch {
    // The machine does not allow it, which is what is asked here.
    await remove(name, count);
    return undefined;
  }
}

async function build(name: string, subnet: string, count: number): Promise<NodeNetwork> {
  await ip('link', 'add', name, 'type', 'bridge');
  await ip('addr', 'add', `${subnet}.1/24`, 'dev', name);
  await ip('link', 'set', name, 'up');
  const nodes: Node[] = [];
  while (nodes.length < count) nodes.push(await addNode(name, subnet, nodes.length));
  return { address: `${subnet}.1`, nodes, [Symbol.asyncDispose]: () => remove(name, count) };
}

const nodeName = (network: string, index: number) => `${network}n${index}`;
const cable = (network: string, index: number) => `${network}c${index}`;

async function addNode(network: string, subnet: string, index: number): Promise<Node> {
  const [name, ours, address] = [nodeName(network, index), cable(network, index), `${subnet}.${index + 2}`];
  const networkInterface = 'eth0';
  await ip('netns', 'add', name);
  await ip('link', 'add', ours, 'type', 'veth', 'peer', 'name', networkInterface, 'netns', name);
  await ip('link', 'set', ours, 'master', network, 'up');
  await ip('-n', name, 'addr', 'add', `${address}/24`, 'dev', networkInterface);
  for (const device of ['lo', networkInterface]) await ip('-n', name, 'link', 'set', device, 'up');
  const change = async (...args: string[]) => void (await ip(...args));
  return {
    address,
    networkInterface,
    inside: (file, args) => ['nsenter', [`--net=/run/netns/${name}`, '--', file, ...args]],
    unplug: () => change('link', 'set', ours, 'down'),
    plug: () => change('link', 'set', ours, 'up'),
    // What the other sends still arrives; without an answer that is as good as lost.
    cutOffFrom: (other) => change('-n', name, 'route', 'replace', 'blackhole', `${other.address}/32`),
    reach: (other) => change('-n', name, 'route', 'del', 'blackhole', `${other.address}/32`),
  };
}

async function remove(network: string, count: number): Promise<void> {
  for (let index = 0; index < count; index += 1)
    await bestEffort('it was never made, or is gone', ip('netns', 'del', nodeName(network, index)));
  await bestEffort('it was never made, or is gone', ip('link', 'del', network));
}

/** Namespaces and bridges outlive whoever made them. */
async function removeLeftovers(): Promise<void> {
  const alive = new Set(await readdir('/proc'));
  const names = `${await ip('netns', 'list')}\n${await ip('-brief', 'link', 'show', 'type', 'bridge')}`;
  for (const match of names.matchAll(new RegExp(`^${prefix}(\\d+)x\\d+(n\\d+)?`, 'gm'))) {
    const [name, pid = '', isNode] = match;
    if (alive.has(pid)) continue;
    await bestEffort('somebody else removes it', isNode ? ip('netns', 'del', name) : ip('link', 'del', name));
  }
}
