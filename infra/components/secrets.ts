import { createHash } from 'node:crypto';
import * as k8s from '@pulumi/kubernetes';
import * as pulumi from '@pulumi/pulumi';
import { canonicalJson } from '../../services/agent-files/compile/hash.ts';
import type { Scope } from '../plan/names.ts';
import type { SecretName } from '../plan/variables.ts';

/** Values by Secret and key. */
export type SecretValues = Partial<Record<SecretName, Record<string, pulumi.Input<string>>>>;

/** The Secrets that our pods take variables from. */
export class Secrets extends pulumi.ComponentResource {
  /** Another text whenever a value is another. */
  readonly version: pulumi.Output<string>;

  constructor(
    name: string,
    { scope, values }: { scope: Scope; values: SecretValues },
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
    this.version = versionOf(values);
    this.registerOutputs({ version: this.version });
  }
}

/** A hash of secrets is none: the master keys among them can't be guessed. */
export const versionOf = (values: SecretValues): pulumi.Output<string> =>
  pulumi.unsecret(
    pulumi.output(values).apply((all) => createHash('sha256').update(canonicalJson(all)).digest('hex').slice(0, 16)),
  );
