/**
 * When another configuration makes another provider, and with it every object anew: as DiffConfig of pulumi-kubernetes decides
 * (provider/pkg/provider/provider.go).
 */
import { existsSync, readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { changedProperties, hasUnknown, type Properties } from './property-values.ts';
import type { Difference } from './provider-server.ts';

const identifier = 'clusterIdentifier';
const leading = ['kubeconfig', 'context', 'cluster'];

interface Kubeconfig {
  clusters?: { name: string; cluster: object }[];
  contexts?: { name: string; context: { cluster: string } }[];
  'current-context'?: string;
}

function kubeconfigOf({ kubeconfig }: Properties): Kubeconfig {
  const given = String(kubeconfig ?? '');
  if (given.includes('apiVersion')) return parse(given) as Kubeconfig;
  return existsSync(given) ? (parse(readFileSync(given, 'utf8')) as Kubeconfig) : {};
}

function activeCluster(properties: Properties): object | undefined {
  const { clusters = [], contexts = [], ...config } = kubeconfigOf(properties);
  const name = properties.context ?? config['current-context'];
  const cluster = properties.cluster ?? contexts.find((one) => one.name === name)?.context.cluster;
  return clusters.find((one) => one.name === cluster)?.cluster;
}

export function configDifference(before: Properties, after: Properties): Difference {
  const changed = changedProperties(before, after);
  return { changed, replaces: replacedOn(before, after, changed), deleteBeforeReplace: false };
}

function replacedOn(before: Properties, after: Properties, changed: readonly string[]): string[] {
  const identified = after[identifier] !== undefined && !changed.includes(identifier);
  if (identified) return [];
  const another =
    before[identifier] !== undefined && after[identifier] !== undefined && changed.includes(identifier)
      ? [identifier]
      : [];
  const open = leading.filter((key) => hasUnknown(after[key]));
  if (open.length > 0) return [...another, ...open];
  const [earlier, now] = [activeCluster(before), activeCluster(after)];
  if (!earlier || !now || JSON.stringify(earlier) === JSON.stringify(now)) return another;
  return [...another, ...leading.filter((key) => changed.includes(key))];
}
