import { Fault } from '../toolchain/fault.ts';
import { isTcpPortFree, isUdpPortFree } from '../toolchain/ports.ts';
import { howToChange, type PortName, portPurpose, type StartOptions } from './options.ts';

/** Internal ports in the order api, first agent host, worker, further agent hosts. */
export function internalPorts({ ports, agentHosts }: StartOptions): { api: number; worker: number; agents: number[] } {
  const first = ports.internalPort;
  const agents = Array.from({ length: agentHosts }, (_, index) => (index === 0 ? first + 1 : first + 2 + index));
  return { api: first, worker: first + 2, agents };
}

/** Throws a Fault that names the first port that something else uses, or that is wanted twice, and how to choose another. */
export async function requireFreePorts(options: StartOptions): Promise<void> {
  const wanted = allPorts(options);
  for (const [index, { port, name }] of wanted.entries()) {
    const other = wanted.slice(0, index).find((earlier) => earlier.port === port);
    if (other) {
      throw new Fault(
        `Port ${port} is wanted for ${portPurpose(other.name)} and for ${portPurpose(name)}: choose another with ${howToChange(name)}.`,
      );
    }
  }
  const free = await Promise.all(wanted.map(isFree));
  const taken = wanted.find((_, index) => !free[index]);
  if (!taken) return;
  const { port, name } = taken;
  throw new Fault(
    `Port ${port} (${portPurpose(name)}) is taken: stop what uses it, or choose another with ${howToChange(name)}.`,
  );
}

interface WantedPort {
  name: PortName;
  port: number;
}

function allPorts(options: StartOptions): WantedPort[] {
  const { api, worker, agents } = internalPorts(options);
  const internal = [api, worker, ...agents].map((port) => ({ name: 'internalPort' as const, port }));
  const others = (Object.entries(options.ports) as [PortName, number][]).filter(([name]) => name !== 'internalPort');
  return [...others.map(([name, port]) => ({ name, port })), ...internal];
}

const isFree = ({ name, port }: WantedPort) => (name === 'roomUdpPort' ? isUdpPortFree(port) : isTcpPortFree(port));
