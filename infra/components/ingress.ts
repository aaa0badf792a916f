import * as k8s from '@pulumi/kubernetes';
import * as pulumi from '@pulumi/pulumi';
import { ports } from '../plan/addresses.ts';
import { signedPaths } from '../plan/services.ts';
import type { TenantPlan } from '../plan.ts';

interface Route {
  name: string;
  namespace: string;
  paths: string[];
  pathType: 'Prefix' | 'Exact';
  service: string;
  port: number;
}

/** One host name: signalling to the room servers, everything else to the API. An Ingress reaches services of its own namespace only. */
export class TenantIngress extends pulumi.ComponentResource {
  constructor(name: string, { plan }: { plan: TenantPlan }, opts?: pulumi.ComponentResourceOptions) {
    super('parley:kubernetes:Ingress', name, {}, opts);
    for (const route of routesOf(plan)) {
      new k8s.networking.v1.Ingress(`${name}-${route.name}`, ingressOf(plan, route), { parent: this });
    }
    this.registerOutputs({});
  }
}

const routesOf = ({ names: { namespace, roomsNamespace }, rooms, tenant }: TenantPlan): Route[] => {
  const paths = signedPaths(tenant);
  return [
    { name: 'api', namespace, paths: ['/'], pathType: 'Prefix', service: 'api', port: ports.api },
    {
      name: 'rooms',
      namespace: roomsNamespace,
      paths: ['/rtc'],
      pathType: 'Prefix',
      service: 'rooms',
      port: rooms.ports.signalling,
    },
    ...(paths.length === 0
      ? []
      : [
          {
            name: 'signed',
            namespace,
            paths,
            pathType: 'Exact' as const,
            service: 'worker',
            port: ports.workerInternal,
          },
        ]),
  ];
};

function ingressOf(
  { tenant, labels }: TenantPlan,
  { name, namespace, paths, pathType, service, port }: Route,
): k8s.networking.v1.IngressArgs {
  const { ingressClass, certificateIssuer, certificateSecret } = tenant.kubernetes;
  return {
    metadata: {
      name,
      namespace,
      labels: { ...labels },
      annotations: {
        ...(certificateIssuer === undefined ? {} : { 'cert-manager.io/cluster-issuer': certificateIssuer }),
        // Controllers write an address that not every cluster has.
        'pulumi.com/skipAwait': 'true',
        // A WebSocket is quiet for as long as nobody comes or goes (read by ingress-nginx; Traefik has no such limit).
        'nginx.ingress.kubernetes.io/proxy-read-timeout': '3600',
      },
    },
    spec: {
      ingressClassName: ingressClass,
      tls: [{ hosts: [tenant.domain], secretName: certificateSecret ?? `${name}-certificate` }],
      rules: [
        {
          host: tenant.domain,
          http: {
            paths: paths.map((path) => ({
              path,
              pathType,
              backend: { service: { name: service, port: { number: port } } },
            })),
          },
        },
      ],
    },
  };
}
