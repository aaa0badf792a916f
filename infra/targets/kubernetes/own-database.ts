import type * as pulumi from '@pulumi/pulumi';
import type { Scope } from '../../plan/names.ts';

/** What every database that the stack makes in the cluster is made from. */
export interface OwnDatabaseArgs {
  scope: Scope;
  erasable: boolean;
  storageClass: string | undefined;
  adminPassword: pulumi.Input<string>;
  /** Of the services, and its password. */
  login: string;
  password: pulumi.Input<string>;
}

/** The role that owns everything in it. */
export const admin = 'parley_admin';
