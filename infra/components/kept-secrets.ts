import { randomBytes } from 'node:crypto';
import * as pulumi from '@pulumi/pulumi';

/** Made at the first `up` and kept, encrypted, in the stack's state: what is sealed with them needs the same ones again. */
export class KeptSecrets extends pulumi.ComponentResource {
  readonly databasePassword: pulumi.Output<string>;
  readonly databaseAdminPassword: pulumi.Output<string>;
  /** Of the role that may make databases, on a server of our own. */
  readonly databaseServerPassword: pulumi.Output<string>;
  readonly cachePassword: pulumi.Output<string>;
  readonly roomKey: pulumi.Output<string>;
  readonly roomSecret: pulumi.Output<string>;
  /** As PARLEY_MASTER_KEYS holds them. */
  readonly masterKeys: pulumi.Output<string>;
  /** As PARLEY_PEOPLE_KEYS holds them. */
  readonly peopleKeys: pulumi.Output<string>;

  readonly #erasable: boolean;

  constructor(name: string, { erasable }: { erasable: boolean }, opts?: pulumi.ComponentResourceOptions) {
    super('parley:index:KeptSecrets', name, {}, opts);
    this.#erasable = erasable;
    this.databasePassword = this.#kept('database-password', () => randomBytes(24).toString('base64url'));
    this.databaseAdminPassword = this.#kept('database-admin-password', () => randomBytes(24).toString('base64url'));
    this.databaseServerPassword = this.#kept('database-server-password', () => randomBytes(24).toString('base64url'));
    this.cachePassword = this.#kept('cache-password', () => randomBytes(24).toString('hex'));
    this.roomKey = this.#kept('room-key', () => `key-${randomBytes(6).toString('hex')}`);
    this.roomSecret = this.#kept('room-secret', () => randomBytes(36).toString('base64url'));
    this.masterKeys = this.#kept('master-keys', () => `k1:${randomBytes(32).toString('base64')}`);
    this.peopleKeys = this.#kept('people-keys', () => `k1:${randomBytes(32).toString('base64')}`);
    this.registerOutputs({});
  }

  /** Every run makes a value; only the first one's is stored. */
  #kept(name: string, make: () => string): pulumi.Output<string> {
    const stash = new pulumi.Stash(
      name,
      { input: pulumi.secret(make()) },
      { parent: this, ignoreChanges: ['input'], protect: !this.#erasable },
    );
    return pulumi.secret(stash.output.apply(String));
  }
}
