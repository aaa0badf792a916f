import { randomBytes } from 'node:crypto';
import * as pulumi from '@pulumi/pulumi';
import { generations } from '../../components/kept-secrets.ts';

/** What a foundation keeps for the tenant of a slot. Secrets. */
export interface Seat {
  /** Of the owner of its database. */
  databasePassword: pulumi.Output<string>;
  /** Of its user of the cache. */
  cachePassword: pulumi.Output<string>;
  /** Which its user has as well; undefined where there was none. */
  formerCachePassword?: pulumi.Output<string> | undefined;
}

/** By slot. */
export type Seats = Readonly<Record<string, Seat>>;

/**
 * Passwords of a foundation's guests: it makes their databases and users of the cache itself, and gives nobody the server's own. They are
 * not protected, so that a foundation may declare fewer: nothing is locked in for good by one, because each up sets the passwords that the
 * stack has, in the database as in the cache.
 */
export class GuestSeats extends pulumi.ComponentResource {
  readonly seats: Seats;

  constructor(
    name: string,
    { count, generation }: { count: number; generation: number },
    opts?: pulumi.ComponentResourceOptions,
  ) {
    super('parley:aws:GuestSeats', name, {}, opts);
    const slots = Array.from({ length: count }, (_, index) => String(index + 1));
    this.seats = Object.fromEntries(slots.map((slot) => [slot, this.#seat(`${name}-${slot}`, generation)]));
    this.registerOutputs({});
  }

  #seat(name: string, generation: number): Seat {
    const newestFirst = (what: string) =>
      generations(generation)
        .map((which) => this.#kept(`${name}-${what}${which}`))
        .reverse();
    const [databasePassword] = newestFirst('database');
    const [cachePassword, formerCachePassword] = newestFirst('cache');
    if (!databasePassword || !cachePassword) throw new Error('there is at least one of each secret');
    return { databasePassword, cachePassword, formerCachePassword };
  }

  /** Every run makes one; only the first one's is stored. */
  #kept(name: string): pulumi.Output<string> {
    const input = pulumi.secret(randomBytes(24).toString('hex'));
    const stash = new pulumi.Stash(name, { input }, { parent: this, ignoreChanges: ['input'] });
    return pulumi.secret(stash.output.apply(String));
  }
}
