import { sleep } from '../../services/process/sleep.ts';
import type { Node } from '../support/network/nodes.ts';
import type { TcpProxy } from '../support/network/tcp-proxy.ts';
import { describeFault, type Fault, isHost } from './faults.ts';
import type { History } from './history.ts';
import type { NemesisWorld } from './world.ts';

/** Does it at its time, and undoes it. Resolves when that is done. */
export async function perform(nemesis: NemesisWorld, fault: Fault, history: History): Promise<void> {
  await sleep(Math.max(0, fault.atMs - history.at()));
  const name = describeFault(fault);
  history.add({ kind: 'fault', name, phase: 'begins' });
  const undo = await begin(nemesis, fault);
  await sleep(fault.forMs);
  await undo();
  history.add({ kind: 'fault', name, phase: 'ends' });
}

/** There and back: a PostgreSQL in another region. */
const delayMs = 250;

type Undo = () => Promise<void> | void;

async function begin(nemesis: NemesisWorld, fault: Fault): Promise<Undo> {
  const { primary, processes } = nemesis;
  const ways = fault.targets.map((role) => nemesis.proxies[role]);
  switch (fault.class) {
    case 'database cut':
      return forAll(ways, (way) => {
        if (fault.forMs > 0) way.refuse();
        way.cut();
      });
    case 'database delayed':
      return forAll(ways, (way) => way.delay(delayMs));
    case 'database half open':
      return forAll(ways, (way) => way.halfOpen());
    case 'database out of reach':
      return forAll(ways, (way) => way.partition());
    case 'FIN swallowed':
      for (const way of ways) way.halfOpen();
      await Promise.all(fault.targets.map((role) => processes.kill(role)));
      return async () => void (await Promise.all(fault.targets.map((role) => processes.start(role))));
    case 'promotion':
      await primary.failOver();
      return () => undefined;
    case 'stopped for 3 s':
    case 'stopped for 15 s':
    case 'stopped for 40 s':
      for (const role of fault.targets) processes.signal(role, 'SIGSTOP');
      return () => {
        for (const role of fault.targets) processes.signal(role, 'SIGCONT');
      };
    case 'host without network':
      return onNodes(nemesis, fault, { change: (node) => node.unplug(), undo: (node) => node.plug() });
    case 'host cut off from the rooms': {
      const { rooms } = nodesOf(nemesis);
      return onNodes(nemesis, fault, { change: (node) => node.cutOffFrom(rooms), undo: (node) => node.reach(rooms) });
    }
    case 'room server without network':
      await nodesOf(nemesis).rooms.unplug();
      return () => nodesOf(nemesis).rooms.plug();
    case 'wrong clock':
      // Done before the conversations begin.
      return () => undefined;
  }
}

function forAll(ways: readonly TcpProxy[], change: (way: TcpProxy) => void): Undo {
  for (const way of ways) change(way);
  return () => {
    for (const way of ways) way.heal();
  };
}

/** @throws Error where the machine allows no nodes */
function nodesOf({ places }: NemesisWorld) {
  if (!places.nodes) throw new Error('there are no nodes here: leave such faults out');
  return places.nodes;
}

async function onNodes(
  nemesis: NemesisWorld,
  { targets }: Fault,
  { change, undo }: Record<'change' | 'undo', (node: Node) => Promise<void>>,
): Promise<Undo> {
  const { hosts } = nodesOf(nemesis);
  const nodes = targets.filter(isHost).map((role) => hosts[role]);
  await Promise.all(nodes.map(change));
  return async () => void (await Promise.all(nodes.map(undo)));
}
