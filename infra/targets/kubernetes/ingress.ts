import * as k8s from '@pulumi/kubernetes';
import * as pulumi from '@pulumi/pulumi';
import { ports } from '../../plan/addresses.ts';
import type { Scope } from '../../plan/names.ts';
import type { RoomPorts } from '../../plan/rooms.ts';
import { certificateAnnotation } from '../../policies/pods.ts';
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

/** Of the host name, in the tenant's namespace, where an issuer of cert-manager keeps it. */
const certificate = 'api-certificate';

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

/**
 * An issuer makes one certificate: the first Ingress asks for it, and a controller uses it for every Ingress of the host name. Two
 * would be challenged by two solvers, one of them among the room servers, where no other pod is admitted.
 */
function tlsOf({ scope, domain, settings }: TenantIngressArgs, { name, namespace }: Route) {
  const { certificateIssuer, certificateSecret } = settings;
  const hosts = [domain];
  if (certificateSecret !== undefined) return { annotations: {}, tls: [{ hosts, secretName: certificateSecret }] };
  if (namespace !== scope.namespace)
    return {
      annotations: {
        [certificateAnnotation]: `${scope.namespace}/${certificate}`,
        // Traefik leads a way without a certificate of its own through TLS only when it is told.
        'traefik.ingress.kubernetes.io/router.tls': 'true',
      },
    };
  const asks = name === 'api' && certificateIssuer !== undefined;
  return {
    annotations: asks ? { 'cert-manager.io/cluster-issuer': certificateIssuer } : {},
    tls: [{ hosts, secretName: certificate }],
  };
}

function ingressOf(args: TenantIngressArgs, route: Route): k8s.networking.v1.IngressArgs {
  const { scope, domain, settings } = args;
  const { name, namespace, paths, pathType, service, port } = route;
  const { annotations, tls } = tlsOf(args, route);
  return {
    metadata: {
      name,
      namespace,
      labels: { ...scope.labels },
      annotations: {
        ...annotations,
        // Controllers write an address that not every cluster has.
        'pulumi.com/skipAwait': 'true',
        // A WebSocket is quiet for as long as nobody comes or goes (read by ingress-nginx; Traefik has no such limit).
        'nginx.ingress.kubernetes.io/proxy-read-timeout': '3600',
      },
    },
    spec: {
      ingressClassName: settings.ingressClass,
      ...(tls && { tls }),
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
