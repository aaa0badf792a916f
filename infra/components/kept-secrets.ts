import { randomBytes } from 'node:crypto';
import * as pulumi from '@pulumi/pulumi';
import { roomKeysText } from '../../services/settings/room-keys.ts';
import { firstKeys, keysInUse } from '../kept-keys.ts';
import type { TenantPlan } from '../plan/tenant-plan.ts';
import { Refusal } from '../refusal.ts';
import type { Tenant } from '../tenant.ts';

export interface KeptSecretsArgs {
  erasable: boolean;
  /** Keys that the configuration names. */
  keys: Tenant['keys'];
  rotation: Tenant['rotation'];
}

/** What another stack needs to open what this one has sealed; a secret output. */
export type StackKeys = pulumi.Output<{ master: string; people: string }>;

export interface RoomKey {
  key: pulumi.Output<string>;
  secret: pulumi.Output<string>;
}

/** Made at the first `up` and kept, encrypted, in the stack's state: what is sealed with them needs the same ones again. */
export class KeptSecrets extends pulumi.ComponentResource {
  readonly databasePassword: pulumi.Output<string>;
  readonly databaseAdminPassword: pulumi.Output<string>;
  /** Those that the owner had before, the newest first; undefined where there was none. */
  readonly formerAdminPasswords: pulumi.Output<string> | undefined;
  /** Of the role that may make databases, on a server of our own. */
  readonly databaseServerPassword: pulumi.Output<string>;
  readonly cachePassword: pulumi.Output<string>;
  /** The one before, which is taken as well: whoever has it is replaced in their own time. */
  readonly formerCachePassword: pulumi.Output<string> | undefined;
  /** Which processes and room servers sign with. */
  readonly roomKey: RoomKey;
  /** All that room servers know. */
  readonly roomKeys: readonly RoomKey[];
  /** What processes are given of them: the one that is used, and the others where there are any. */
  readonly toldRoomKeys: Record<string, pulumi.Output<string>>;
  /** As PARLEY_MASTER_KEYS holds them. */
  readonly masterKeys: pulumi.Output<string>;
  /** As PARLEY_PEOPLE_KEYS holds them. */
  readonly peopleKeys: pulumi.Output<string>;

  readonly all: StackKeys;

  readonly #erasable: boolean;

  constructor(name: string, { erasable, keys, rotation }: KeptSecretsArgs, opts?: pulumi.ComponentResourceOptions) {
    super('parley:index:KeptSecrets', name, {}, opts);
    this.#erasable = erasable;
    const password = () => randomBytes(24).toString('base64url');
    this.databasePassword = this.#newest('database-password', rotation.databasePassword, password);
    const [owner, ...formerOwners] = this.#all('database-admin-password', rotation.ownerPassword, password);
    this.databaseAdminPassword = owner;
    this.formerAdminPasswords =
      formerOwners.length === 0 ? undefined : pulumi.secret(pulumi.all(formerOwners).apply((all) => all.join(',')));
    this.databaseServerPassword = this.#newest('database-server-password', rotation.serverPassword, password);
    const [cache, formerCache] = this.#all('cache-password', rotation.cachePassword, () =>
      randomBytes(24).toString('hex'),
    );
    this.cachePassword = cache;
    this.formerCachePassword = formerCache;
    this.roomKeys = generations(rotation.roomKeys).map((which) => ({
      key: this.#kept(`room-key${which}`, () => `key-${randomBytes(6).toString('hex')}`),
      secret: this.#kept(`room-secret${which}`, () => randomBytes(36).toString('base64url')),
    }));
    const used = this.roomKeys[rotation.roomKeyInUse - 1];
    if (used === undefined) throw new Error('a room key is used that was not made');
    this.roomKey = used;
    const others = this.roomKeys.filter((one) => one !== used);
    this.toldRoomKeys = { ...used, ...(others.length > 0 && { others: inOneText(others) }) };
    const key = () => `k1:${randomBytes(32).toString('base64')}`;
    this.masterKeys = this.#keys('master', keys?.master, key);
    this.peopleKeys = this.#keys('people', keys?.people, key);
    this.all = pulumi.secret(
      pulumi.all([this.masterKeys, this.peopleKeys]).apply(([master, people]) => ({ master, people })),
    );
    this.registerOutputs({});
  }

  #keys(field: 'master' | 'people', given: string | undefined, make: () => string): pulumi.Output<string> {
    const kept = this.#kept(`${field}-keys`, () => firstKeys(given, make()));
    return pulumi.secret(
      kept.apply((keys) => {
        try {
          return keysInUse(field, keys, given);
        } catch (error) {
          throw error instanceof Refusal ? new pulumi.RunError(error.message) : error;
        }
      }),
    );
  }

  #newest(name: string, count: number, make: () => string): pulumi.Output<string> {
    return this.#all(name, count, make)[0];
  }

  /** The newest first. Earlier ones stay: what is in the state is protected. */
  #all(name: string, count: number, make: () => string): Generations {
    const [newest, ...earlier] = generations(count)
      .map((which) => this.#kept(`${name}${which}`, make))
      .reverse();
    if (newest === undefined) throw new Error('there is at least one of each secret');
    return [newest, ...earlier];
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

/** As PARLEY_OTHER_ROOM_KEYS holds them. */
const inOneText = (keys: readonly RoomKey[]): pulumi.Output<string> =>
  pulumi.secret(
    pulumi
      .all(keys.map(({ key, secret }) => pulumi.all([key, secret])))
      .apply((all) => roomKeysText(all.map(([apiKey, apiSecret]) => ({ apiKey, apiSecret })))),
  );

/** What a tenant's plan says of them. */
export const keptFrom = ({ erasable, tenant: { keys, rotation } }: Pick<TenantPlan, 'erasable' | 'tenant'>) => ({
  ...{ erasable, keys, rotation },
});

type Generations = [newest: pulumi.Output<string>, ...earlier: pulumi.Output<string>[]];

/** What stands behind the name of each: nothing, `-2`, `-3`, … */
export const generations = (count: number): string[] =>
  Array.from({ length: count }, (_, index) => (index === 0 ? '' : `-${index + 1}`));
