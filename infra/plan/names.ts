import { createHash } from 'node:crypto';
import type { Tenant } from '../tenant.ts';

/** At most `longest` characters; a name that is longer is cut, and told from others by a hash of the whole. */
export function shortened(name: string, longest: number): string {
  if (name.length <= longest) return name;
  const mark = createHash('sha256').update(name).digest('hex').slice(0, 6);
  return `${name.slice(0, longest - mark.length - 1).replace(/-+$/, '')}-${mark}`;
}

export interface Names {
  /** Before everything that is ours outside a namespace. */
  prefix: string;
  namespace: string;
  /** Room servers share the node's network, which no other namespace allows. */
  roomsNamespace: string;
  /** SIP bridges do so, too, and have neither the room servers' Secret nor they theirs. */
  phoneNamespace: string;
}

/** Where objects of the cluster go, and what each of them carries. */
export interface Scope extends Names {
  labels: Readonly<Record<string, string>>;
  /** Name of the Secret that opens the registry; undefined where nodes pull as they may. */
  pullSecret: string | undefined;
}

export const scopeOf = (names: Names, { slug, images }: Pick<Tenant, 'slug' | 'images'>): Scope => ({
  ...names,
  labels: { 'app.kubernetes.io/part-of': 'parley', 'parley.dev/tenant': slug },
  pullSecret: images.pullSecret === undefined ? undefined : 'registry',
});

export const planNames = (slug: string): Names => ({
  prefix: `parley-${slug}`,
  namespace: `parley-${slug}`,
  roomsNamespace: `parley-${slug}-rooms`,
  phoneNamespace: `parley-${slug}-phone`,
});
