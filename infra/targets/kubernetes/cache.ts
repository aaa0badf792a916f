import * as k8s from '@pulumi/kubernetes';
import * as pulumi from '@pulumi/pulumi';
import { containerSecurity, podSecurity, quietPod, resourcesOf } from '../../components/pod.ts';
import { versionOf } from '../../components/secrets.ts';
import { labelsOf, selectorOf } from '../../components/service-deployment.ts';
import { ports } from '../../plan/addresses.ts';
import type { Scope } from '../../plan/names.ts';

export interface CacheArgs {
  scope: Scope;
  databaseNumber: number;
  image: string;
  password: pulumi.Input<string>;
  /** Which is taken as well. */
  formerPassword: pulumi.Input<string> | undefined;
}

const resources = { cpuMilli: 100, cpuLimitMilli: 1_000, memoryMib: 128, memoryLimitMib: 256 };

/** Valkey in memory only: what is in it is a few seconds old, and made again by those who wrote it. */
export class Cache extends pulumi.ComponentResource {
  readonly url: pulumi.Output<string>;

  constructor(
    name: string,
    { scope, databaseNumber, image, password, formerPassword }: CacheArgs,
    opts?: pulumi.ComponentResourceOptions,
  ) {
    super('parley:kubernetes:Cache', name, {}, opts);
    const labels = labelsOf(scope, 'cache');
    const metadata = { name: 'cache', namespace: scope.namespace, labels };
    const file = pulumi.secret(pulumi.interpolate`port ${ports.cache}
save ""
appendonly no
maxmemory 128mb
maxmemory-policy noeviction
${opensWith(password, formerPassword)}
`);
    const configuration = new k8s.core.v1.Secret(
      `${name}-configuration`,
      { metadata: { ...metadata, name: 'cache-server' }, stringData: { 'valkey.conf': file } },
      { parent: this },
    );
    const accepts = { tcpSocket: { port: ports.cache }, timeoutSeconds: 3 };
    new k8s.apps.v1.Deployment(
      name,
      {
        metadata,
        spec: {
          replicas: 1,
          selector: { matchLabels: selectorOf(scope, 'cache') },
          strategy: { type: 'Recreate' },
          template: {
            metadata: { labels, annotations: { 'parley.dev/secrets': versionOf({ cache: { file } }) } },
            spec: {
              ...quietPod(scope),
              securityContext: podSecurity(),
              volumes: [{ name: 'configuration', secret: { secretName: configuration.metadata.name } }],
              containers: [
                {
                  name: 'valkey',
                  image,
                  command: ['valkey-server', '/etc/valkey/valkey.conf'],
                  ports: [{ name: 'redis', containerPort: ports.cache }],
                  securityContext: containerSecurity,
                  resources: resourcesOf(resources),
                  startupProbe: { ...accepts, periodSeconds: 1, failureThreshold: 60 },
                  livenessProbe: { ...accepts, periodSeconds: 10, failureThreshold: 3 },
                  readinessProbe: { ...accepts, periodSeconds: 2, failureThreshold: 2 },
                  volumeMounts: [{ name: 'configuration', mountPath: '/etc/valkey', readOnly: true }],
                },
              ],
            },
          },
        },
      },
      { parent: this },
    );
    new k8s.core.v1.Service(
      name,
      { metadata, spec: { selector: selectorOf(scope, 'cache'), ports: [{ name: 'redis', port: ports.cache }] } },
      { parent: this },
    );
    const host = `cache.${scope.namespace}.svc.cluster.local:${ports.cache}`;
    this.url = pulumi.secret(pulumi.interpolate`redis://:${password}@${host}/${databaseNumber}`);
    this.registerOutputs({});
  }
}

/** One more password takes a rule for its only user. (https://valkey.io/topics/acl/) */
const opensWith = (password: pulumi.Input<string>, former: pulumi.Input<string> | undefined) =>
  former === undefined
    ? pulumi.interpolate`requirepass ${password}`
    : pulumi.interpolate`user default on >${password} >${former} ~* &* +@all`;
