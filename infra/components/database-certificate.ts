import * as k8s from '@pulumi/kubernetes';
import * as pulumi from '@pulumi/pulumi';
import type { Scope } from '../plan/names.ts';
import type { DatabaseUrls } from './database-urls.ts';

const name = 'database-certificate';
const key = 'ca.pem';

/** The authority that signed the database's certificate, for pods to check it with. */
export class DatabaseCertificate extends pulumi.ComponentResource {
  readonly certificate: NonNullable<DatabaseUrls['certificate']> = { configMapName: name, key };

  constructor(resource: string, { scope, pem }: { scope: Scope; pem: string }, opts?: pulumi.ComponentResourceOptions) {
    super('parley:kubernetes:DatabaseCertificate', resource, {}, opts);
    new k8s.core.v1.ConfigMap(
      resource,
      { metadata: { name, namespace: scope.namespace, labels: { ...scope.labels } }, data: { [key]: pem } },
      { parent: this },
    );
    this.registerOutputs({});
  }
}
