import * as k8s from '@pulumi/kubernetes';
import * as pulumi from '@pulumi/pulumi';
import { ports } from '../../plan/addresses.ts';
import type { Scope } from '../../plan/names.ts';
import type { RoomPorts } from '../../plan/rooms.ts';
import type { Tenant } from '../../tenant.ts';

export interface TenantIngressArgs {
  scope: Scope;
  domain: string;
  settings: Tenant['kubernetes'];
  rooms: Pick<RoomPorts, 'signalling'>;
  /** What of the worker is reached from outside. */
  signedPaths: readonly string[];
}

interface Route {
  name: string;
  namespace: string;
  paths: readonly string[];
  pathType: 'Prefix' | 'Exact';
  service: string;
  port: number;
}

/** One host name: signalling to the room servers, everything else to the API. An Ingress reaches services of its own namespace only. */
export class TenantIngress extends pulumi.ComponentResource {
  constructor(name: string, args: TenantIngressArgs, opts?: pulumi.ComponentResourceOptions) {
    super('parley:kubernetes:Ingress', name, {}, opts);
    for (const route of routesOf(args)) {
      new k8s.networking.v1.Ingress(`${name}-${route.name}`, ingressOf(args, route), { parent: this });
    }
    this.registerOutputs({});
  }
}

const routesOf = ({ scope: { namespace, roomsNamespace }, rooms, signedPaths: paths }: TenantIngressArgs): Route[] => [
  { name: 'api', namespace, paths: ['/'], pathType: 'Prefix', service: 'api', port: ports.api },
  {
    name: 'rooms',
    namespace: roomsNamespace,
    paths: ['/rtc'],
    pathType: 'Prefix',
    service: 'rooms',
    port: rooms.signalling,
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

function ingressOf(
  { scope: { labels }, domain, settings }: TenantIngressArgs,
  { name, namespace, paths, pathType, service, port }: Route,
): k8s.networking.v1.IngressArgs {
  const { ingressClass, certificateIssuer, certificateSecret } = settings;
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
      tls: [{ hosts: [domain], secretName: certificateSecret ?? `${name}-certificate` }],
      rules: [
        {
          host: domain,
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
