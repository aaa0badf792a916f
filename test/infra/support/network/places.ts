/** Who is on a tenant's network: the pods and Services of its rendered objects, and whoever else is there. */
import type { Created } from '../pulumi-mocks.ts';
import type { Policy } from './engines.ts';
import type { Network, Party, Service } from './network.ts';

/** Addresses of a cluster, each kind in its range. */
export interface Ranges {
  /** Of pods, such as `10.42.0`. */
  pods: string;
  services: string;
  /** Of the nodes that room servers run on. */
  roomNode: string;
  /** What is there beside the tenant and the cluster's usual inhabitants. */
  others: Readonly<Record<string, string>>;
}

const appLabel = 'app.kubernetes.io/name';

/** What is in the cluster beside the tenant: who has business with it, and a neighbour who has none. */
const inhabitants: Readonly<Record<string, { namespace: string; labels: Readonly<Record<string, string>> }>> = {
  ingress: { namespace: 'kube-system', labels: { [appLabel]: 'traefik' } },
  names: { namespace: 'kube-system', labels: { 'k8s-app': 'kube-dns' } },
  prometheus: { namespace: 'monitoring', labels: { [appLabel]: 'prometheus' } },
  keda: { namespace: 'keda', labels: { [appLabel]: 'keda-operator' } },
  neighbour: { namespace: 'another', labels: { [appLabel]: 'api' } },
};

/** cert-manager's, in the namespace of the Ingress that it is for; its labels are cert-manager's own. */
const solver = (namespace: string) => ({
  namespace,
  labels: { 'acme.cert-manager.io/http01-solver': 'true', 'acme.cert-manager.io/http-domain': '1' },
});

interface Template {
  metadata: { labels: Record<string, string> };
  spec: { hostNetwork?: boolean; containers: { ports?: { name?: string; containerPort: number }[] }[] };
}

const templateOf = ({ inputs }: Created): Template | undefined =>
  inputs.spec?.jobTemplate?.spec?.template ?? inputs.spec?.template;

export function networkOf(created: readonly Created[], ranges: Ranges): Network {
  const withPods = created.filter((one) => templateOf(one)?.spec?.containers);
  const byApp = new Map<string, { pod: NonNullable<Party['pod']>; template: Template }>();
  for (const one of withPods) {
    const template = templateOf(one) as Template;
    const { labels } = template.metadata;
    byApp.set(labels[appLabel] ?? '', { pod: { namespace: one.inputs.metadata.namespace, labels }, template });
  }
  const namespace = byApp.get('api')?.pod.namespace ?? '';
  const own = [...byApp].map(([name, { pod, template }], index): Party => {
    // On its node's network it is that node to everybody.
    if (template.spec.hostNetwork) return { name, address: ranges.roomNode, isNode: true };
    return { name, address: `${ranges.pods}.${10 + index}`, pod };
  });
  const foreign = Object.entries({ ...inhabitants, solver: solver(namespace) }).map(
    ([name, pod], index): Party => ({ name, address: `${ranges.pods}.${100 + index}`, pod }),
  );
  const outside = Object.entries(ranges.others).map(([name, address]): Party => ({ name, address }));
  const parties = [...own, ...foreign, ...outside];
  return { parties, services: [...servicesOf(created, parties, byApp, ranges), nameServer(parties, ranges)] };
}

function servicesOf(
  created: readonly Created[],
  parties: readonly Party[],
  byApp: ReadonlyMap<string, { template: Template }>,
  { services }: Ranges,
): Service[] {
  const rendered = created.filter(({ type }) => type === 'kubernetes:core/v1:Service');
  return rendered.map(({ inputs: { metadata, spec } }, index) => {
    const app = spec.selector[appLabel];
    const containers = byApp.get(app)?.template.spec.containers ?? [];
    const named = containers.flatMap(({ ports = [] }) => ports);
    const portOf = (target: number | string) =>
      typeof target === 'number' ? target : (named.find(({ name }) => name === target)?.containerPort ?? 0);
    return {
      name: metadata.name,
      namespace: metadata.namespace,
      address: spec.clusterIP === 'None' ? undefined : `${services}.${20 + index}`,
      selector: spec.selector,
      ports: spec.ports.map(({ port, targetPort = port }: { port: number; targetPort?: number | string }) => ({
        port,
        target: portOf(targetPort),
        protocol: 'TCP' as const,
      })),
      backends: parties.filter(({ name }) => name === app),
    };
  });
}

const nameServer = (parties: readonly Party[], { services }: Ranges): Service => ({
  name: 'kube-dns',
  namespace: 'kube-system',
  address: `${services}.10`,
  selector: { 'k8s-app': 'kube-dns' },
  ports: (['UDP', 'TCP'] as const).map((protocol) => ({ port: 53, target: 53, protocol })),
  backends: parties.filter(({ name }) => name === 'names'),
});

export const policiesIn = (created: readonly Created[]): Policy[] =>
  created
    .filter(({ type }) => type === 'kubernetes:networking.k8s.io/v1:NetworkPolicy')
    .map(({ inputs }) => ({ metadata: inputs.metadata, spec: inputs.spec }) as Policy);
