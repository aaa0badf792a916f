import * as aws from '@pulumi/aws';
import * as k8s from '@pulumi/kubernetes';
import * as pulumi from '@pulumi/pulumi';
import type { PodIdentity } from '../../components/process-files.ts';
import { type SecretValues, versionOf } from '../../components/secrets.ts';
import type { Scope } from '../../plan/names.ts';
import type { AwsPlan } from './plan.ts';
import { serviceRole } from './service-role.ts';

export interface AwsSecretsArgs {
  scope: Scope;
  slug: string;
  /** For how long a secret that was deleted can be brought back. */
  recoveryDays: number;
  aws: AwsPlan;
  clusterName: pulumi.Input<string>;
  values: SecretValues;
}

const serviceAccountName = 'services';
const className = 'secrets';

/**
 * Secrets Manager keeps the values; the CSI driver brings them to pods that may read exactly these, as Secrets that live as
 * long as a pod needs them.
 */
export class AwsSecrets extends pulumi.ComponentResource {
  readonly version: pulumi.Output<string>;
  readonly identity: PodIdentity;

  constructor(name: string, args: AwsSecretsArgs, opts?: pulumi.ComponentResourceOptions) {
    super('parley:aws:Secrets', name, {}, opts);
    const { scope, values } = args;
    const secrets = Object.entries(values).map(([secret, keys]) => this.#stored(args, secret, keys));
    const account = this.#identity(
      name,
      args,
      secrets.map(({ arn }) => arn),
    );
    new k8s.apiextensions.CustomResource(
      name,
      {
        apiVersion: 'secrets-store.csi.x-k8s.io/v1',
        kind: 'SecretProviderClass',
        metadata: { name: className, namespace: scope.namespace, labels: { ...scope.labels } },
        spec: {
          provider: 'aws',
          parameters: { usePodIdentity: 'true', objects: pulumi.jsonStringify(secrets.map(({ object }) => object)) },
          secretObjects: secrets.map(({ secret, keys }) => ({
            secretName: secret,
            type: 'Opaque',
            labels: { ...scope.labels },
            data: keys.map((key) => ({ key, objectName: fileOf(secret, key) })),
          })),
        },
      },
      { parent: this },
    );
    this.version = versionOf(values);
    this.identity = { serviceAccountName: account.metadata.name, secretProviderClass: className };
    this.registerOutputs({ version: this.version });
  }

  #stored(
    { scope, slug, recoveryDays, aws: { tags } }: AwsSecretsArgs,
    secret: string,
    keys: Record<string, pulumi.Input<string>>,
  ) {
    const stored = new aws.secretsmanager.Secret(
      `${scope.prefix}-${secret}`,
      {
        name: `parley/${slug}/${secret}`,
        recoveryWindowInDays: recoveryDays,
        tags: { ...tags },
      },
      { parent: this },
    );
    new aws.secretsmanager.SecretVersion(
      `${scope.prefix}-${secret}`,
      { secretId: stored.id, secretString: pulumi.secret(pulumi.jsonStringify(keys)) },
      { parent: this },
    );
    const names = Object.keys(keys);
    // Keys are letters, digits, hyphens and underscores; in JMESPath a quoted name may hold any.
    const jmesPath = names.map((key) => ({ path: `"${key}"`, objectAlias: fileOf(secret, key) }));
    return { secret, keys: names, arn: stored.arn, object: { objectName: stored.arn, jmesPath } };
  }

  #identity(name: string, { scope, aws: awsPlan, clusterName }: AwsSecretsArgs, arns: pulumi.Output<string>[]) {
    const child = { parent: this };
    const role = serviceRole(
      `${name}-pods`,
      { service: 'pods.eks.amazonaws.com', policies: [], tags: awsPlan.tags, name: awsPlan.names.podRole },
      child,
    );
    const account = new k8s.core.v1.ServiceAccount(
      `${name}-pods`,
      {
        metadata: { name: serviceAccountName, namespace: scope.namespace, labels: { ...scope.labels } },
        automountServiceAccountToken: false,
      },
      child,
    );
    new aws.iam.RolePolicy(
      `${name}-pods`,
      {
        role: role.name,
        policy: pulumi.jsonStringify({
          Version: '2012-10-17',
          Statement: [
            {
              Effect: 'Allow',
              Action: ['secretsmanager:GetSecretValue', 'secretsmanager:DescribeSecret'],
              Resource: arns,
            },
          ],
        }),
      },
      child,
    );
    new aws.eks.PodIdentityAssociation(
      `${name}-pods`,
      {
        clusterName,
        namespace: scope.namespace,
        serviceAccount: serviceAccountName,
        roleArn: role.arn,
        tags: { ...awsPlan.tags },
      },
      child,
    );
    return account;
  }
}

const fileOf = (secret: string, key: string) => `${secret}.${key}`;
