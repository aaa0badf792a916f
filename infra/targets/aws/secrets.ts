import * as aws from '@pulumi/aws';
import * as k8s from '@pulumi/kubernetes';
import * as pulumi from '@pulumi/pulumi';
import type { SecretSource } from '../../components/process-files.ts';
import { type SecretValues, type SecretVersions, versionsOf } from '../../components/secrets.ts';
import type { Scope } from '../../plan/names.ts';
import type { SecretKey, Variables } from '../../plan/variables.ts';
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
  variables: Variables;
}

type Process = keyof Variables;

/**
 * Secrets Manager keeps a secret for each process, of the variables that this process reads. The CSI driver brings them to its pods as
 * files, at every start anew. Pods of another process have another account, whose role may not read it, and no Secret of the cluster
 * holds any.
 */
export class AwsSecrets extends pulumi.ComponentResource {
  readonly versions: SecretVersions;
  readonly sources: Readonly<Record<Process, SecretSource>>;

  constructor(name: string, args: AwsSecretsArgs, opts?: pulumi.ComponentResourceOptions) {
    super('parley:aws:Secrets', name, {}, opts);
    this.sources = {
      api: this.#source(args, 'api'),
      worker: this.#source(args, 'worker'),
      agent: this.#source(args, 'agent'),
      prepare: this.#source(args, 'prepare'),
    };
    this.versions = versionsOf(args.variables, args.values);
    this.registerOutputs({ versions: this.versions });
  }

  #source(args: AwsSecretsArgs, process: Process): SecretSource {
    const { scope, values } = args;
    const held = heldBy(args.variables, process, values);
    const secret = this.#stored(args, process, held);
    const account = this.#identity(args, process, secret.arn);
    // A quoted name is taken as it stands.
    const jmesPath = Object.keys(held).map((variable) => ({ path: `"${variable}"`, objectAlias: variable }));
    const objects = [{ objectName: secret.arn, objectAlias: 'all', jmesPath }];
    new k8s.apiextensions.CustomResource(
      `${scope.prefix}-${process}`,
      {
        apiVersion: 'secrets-store.csi.x-k8s.io/v1',
        kind: 'SecretProviderClass',
        metadata: { name: process, namespace: scope.namespace, labels: { ...scope.labels } },
        spec: { provider: 'aws', parameters: { usePodIdentity: 'true', objects: pulumi.jsonStringify(objects) } },
      },
      { parent: this },
    );
    return { serviceAccountName: account.metadata.name, volume: mountedBy(process) };
  }

  #stored({ scope, slug, recoveryDays, aws: { tags } }: AwsSecretsArgs, process: Process, held: object) {
    const stored = new aws.secretsmanager.Secret(
      `${scope.prefix}-${process}`,
      { name: `parley/${slug}/${process}`, recoveryWindowInDays: recoveryDays, tags: { ...tags } },
      { parent: this },
    );
    new aws.secretsmanager.SecretVersion(
      `${scope.prefix}-${process}`,
      { secretId: stored.id, secretString: pulumi.secret(pulumi.jsonStringify(held)) },
      { parent: this },
    );
    return stored;
  }

  #identity(
    { scope, aws: { names, tags }, clusterName }: AwsSecretsArgs,
    process: Process,
    arn: pulumi.Output<string>,
  ) {
    const child = { parent: this };
    const name = `${scope.prefix}-${process}`;
    const role = serviceRole(
      name,
      { service: 'pods.eks.amazonaws.com', policies: [], tags, name: names.podRoles[process] },
      child,
    );
    const account = new k8s.core.v1.ServiceAccount(
      name,
      {
        metadata: { name: process, namespace: scope.namespace, labels: { ...scope.labels } },
        automountServiceAccountToken: false,
      },
      child,
    );
    const actions = ['secretsmanager:GetSecretValue', 'secretsmanager:DescribeSecret'];
    new aws.iam.RolePolicy(
      name,
      {
        role: role.name,
        policy: pulumi.jsonStringify({
          Version: '2012-10-17',
          Statement: [{ Effect: 'Allow', Action: actions, Resource: [arn] }],
        }),
      },
      child,
    );
    new aws.eks.PodIdentityAssociation(
      name,
      { clusterName, namespace: scope.namespace, serviceAccount: process, roleArn: role.arn, tags: { ...tags } },
      child,
    );
    return account;
  }
}

/** Values of the variables that are secret, by their names. */
function heldBy(variables: Variables, process: Process, values: SecretValues): Record<string, pulumi.Input<string>> {
  const secret = variables[process].flatMap(({ name, value }) =>
    typeof value === 'string' ? [] : [[name, keptAs(value, values)] as const],
  );
  return Object.fromEntries(secret);
}

function keptAs({ secret, key }: SecretKey, values: SecretValues): pulumi.Input<string> {
  const value = values[secret]?.[key];
  if (value === undefined) throw new Error(`nothing is kept as ${secret}.${key}`);
  return value;
}

const mountedBy = (process: Process): SecretSource['volume'] => ({
  name: 'variables',
  csi: {
    driver: 'secrets-store.csi.k8s.io',
    readOnly: true,
    volumeAttributes: { secretProviderClass: process },
  },
});
