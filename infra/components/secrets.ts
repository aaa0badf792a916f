import { createHash } from 'node:crypto';
import * as k8s from '@pulumi/kubernetes';
import * as pulumi from '@pulumi/pulumi';
import { canonicalJson } from '../../services/agent-files/compile/hash.ts';
import type { Scope } from '../plan/names.ts';
import type { SecretKey, SecretName, Variables } from '../plan/variables.ts';

/** Values by Secret and key. */
export type SecretValues = Partial<Record<SecretName, Record<string, pulumi.Input<string>>>>;

/** The Secrets that our pods take variables from. */
export class Secrets extends pulumi.ComponentResource {
  readonly versions: SecretVersions;

  constructor(
    name: string,
    { scope, variables, values }: { scope: Scope; variables: Variables; values: SecretValues },
    opts?: pulumi.ComponentResourceOptions,
  ) {
    super('parley:kubernetes:Secrets', name, {}, opts);
    for (const [secret, stringData] of Object.entries(values)) {
      new k8s.core.v1.Secret(
        `${scope.prefix}-${secret}`,
        { metadata: { name: secret, namespace: scope.namespace, labels: { ...scope.labels } }, stringData },
        { parent: this },
      );
    }
    this.versions = versionsOf(variables, values);
    this.registerOutputs({ versions: this.versions });
  }
}

/** By process: another text whenever something secret that it reads is another. */
export type SecretVersions = Readonly<Record<keyof Variables, pulumi.Output<string>>>;

export const versionsOf = (variables: Variables, values: SecretValues): SecretVersions => {
  const versionFor = (process: keyof Variables) => versionOf(valuesReadBy(variables, process, values));
  return {
    api: versionFor('api'),
    worker: versionFor('worker'),
    agent: versionFor('agent'),
    prepare: versionFor('prepare'),
  };
};

function valuesReadBy(variables: Variables, process: keyof Variables, values: SecretValues) {
  const keys = variables[process].flatMap(({ value }): SecretKey[] => (typeof value === 'string' ? [] : [value]));
  return pulumi
    .output(values)
    .apply((all) => Object.fromEntries(keys.map(({ secret, key }) => [`${secret}.${key}`, all[secret]?.[key]])));
}

/** A hash of secrets is none: each process has a key among its own that can't be guessed. */
export const versionOf = (values: pulumi.Input<object>): pulumi.Output<string> =>
  pulumi.unsecret(
    pulumi.output(values).apply((all) => createHash('sha256').update(canonicalJson(all)).digest('hex').slice(0, 16)),
  );
