import { createHash } from 'node:crypto';

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
}

export const planNames = (slug: string): Names => ({
  prefix: `parley-${slug}`,
  namespace: `parley-${slug}`,
  roomsNamespace: `parley-${slug}-rooms`,
});

/** What AWS allows for each kind of name. */
export const longestName = { balancer: 32, cache: 40, database: 63, role: 64, cluster: 100 };
