import type * as pulumi from '@pulumi/pulumi';

export interface DatabaseUrls {
  /** Of the services' role, which is neither owner nor above row-level security. */
  url: pulumi.Input<string>;
  /** Of a role that may create roles and owns the database: for migrations. */
  adminUrl: pulumi.Input<string>;
  /** PEM file that the server's certificate is checked with, when it has one: in a Secret or ConfigMap of the namespace. */
  certificate?: { secretName?: string; configMapName?: string; key: string };
}
