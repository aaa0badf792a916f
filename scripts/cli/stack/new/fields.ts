/** What a new stack's file holds, from what was asked and what was found. Pure. */
import { readTenant } from '../../../../infra/config.ts';
import { planTenant } from '../../../../infra/plan.ts';
import { Refusal } from '../../../../infra/refusal.ts';
import { targets } from '../../../../infra/targets/registry.ts';
import { Fault } from '../../../toolchain/fault.ts';

export interface Wanted {
  name: string;
  target: 'kubernetes' | 'aws';
  domain: string;
  voice: number;
  text: number;
  owner: string | undefined;
  images: { services: string; roomServer: string; database?: string | undefined; cache?: string | undefined };
  /** Of Kubernetes. */
  cluster?: Cluster | undefined;
  /** Of AWS. */
  account?: Account | undefined;
}

export interface Cluster {
  context: string;
  nodeCidrs: readonly string[];
  ingressClass: string;
  certificateIssuer: string;
  hasKeda: boolean;
}

export interface Account {
  region: string;
  hostedZone: string;
  operatorCidrs: readonly string[];
  certificateAuthority: string;
  /** Undefined: a foundation of its own. */
  foundation: { stack: string; slot: number } | undefined;
}

/** Namespaces that controllers of these classes have where their makers' own instructions put them. */
const ingressNamespaces: Readonly<Record<string, string>> = { traefik: 'kube-system', nginx: 'ingress-nginx' };

/** Keys and values under `config:`. */
export function stackFields(wanted: Wanted): Record<string, unknown> {
  const { target, domain, voice, text, owner, images, cluster, account } = wanted;
  const given = Object.entries(images).filter(([, image]) => image !== undefined);
  return {
    ...(account && { 'aws:region': account.region }),
    'parley:target': target,
    'parley:domain': domain,
    ...(owner !== undefined && { 'parley:firstOwner': owner }),
    'parley:capacity': { voice, text, coldStart: 'never' },
    'parley:images': Object.fromEntries(given),
    ...(cluster && clusterFields(cluster)),
    ...(account && accountFields(account)),
  };
}

const clusterFields = ({ hasKeda, ingressClass, nodeCidrs, ...cluster }: Cluster) => ({
  'parley:kubernetes': {
    ...cluster,
    ingressClass,
    ingressNamespace: ingressNamespaces[ingressClass] ?? ingressClass,
    nodeCidrs: [...nodeCidrs],
  },
  'parley:autoscaling': hasKeda ? 'keda' : 'fixed',
});

const accountFields = ({ hostedZone, operatorCidrs, certificateAuthority, foundation }: Account) => ({
  'parley:aws': { hostedZone, ...(foundation === undefined && { operatorCidrs: [...operatorCidrs] }) },
  'parley:foundation': foundation ?? 'create',
  'parley:database': { certificateAuthority },
});

/** The stack would refuse it as it stands, before anything is asked for. @throws Fault with all that is wrong */
export function refuseWhatCannotWork(name: string, fields: Readonly<Record<string, unknown>>): void {
  const texts = Object.entries(fields).map(([key, value]) => [
    key,
    typeof value === 'string' ? value : JSON.stringify(value),
  ]);
  try {
    const tenant = readTenant(name, Object.fromEntries(texts));
    targets[tenant.target].finish(planTenant(tenant));
  } catch (error) {
    throw error instanceof Refusal ? new Fault(`${error.message}\nNothing was written.`) : error;
  }
}
