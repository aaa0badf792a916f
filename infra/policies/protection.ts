import { isOnNodesNetwork } from './pods.ts';
import { at, type PolicyRule } from './rule.ts';

/** Nothing brings back what is in them. */
const holders = [
  'kubernetes:apps/v1:StatefulSet',
  'kubernetes:core/v1:PersistentVolumeClaim',
  'kubernetes:postgresql.cnpg.io/v1:Cluster',
];
const rds = 'aws:rds/instance:Instance';
const keys = ['master-keys', 'people-keys'];

/** Where the stack does not say whose data may be erased, no data and no key that opens it goes by a `destroy` or a replacement. */
export const protectedWhereLossHurts: PolicyRule = {
  name: 'protected-where-loss-hurts',
  check({ type, name, props, isProtected }) {
    if (isProtected || !losesSomething({ type, name, props })) return undefined;
    return 'What it holds cannot be made again: it must be protected (protect), unless parley:mayErase names the stack.';
  },
};

function losesSomething({
  type,
  name,
  props,
}: {
  type: string;
  name: string;
  props: Readonly<Record<string, unknown>>;
}) {
  if (type === 'pulumi:index:Stash') return keys.includes(name);
  // Volumes go with the namespace.
  if (type === 'kubernetes:core/v1:Namespace') return !isOnNodesNetwork(at(props, 'metadata.name'));
  if (type === rds) return props.deletionProtection !== false;
  return holders.includes(type);
}
