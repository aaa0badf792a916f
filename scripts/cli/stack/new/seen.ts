/** What other programs tell of a cluster, a registry and other stacks, as far as a new stack needs it. Pure: their answers are given. */

/** Of `kubectl get nodes -o json`. */
export interface NodesSeen {
  items: readonly {
    spec: { podCIDR?: string };
    status: { addresses: readonly { type: string; address: string }[]; nodeInfo: { architecture: string } };
  }[];
}

/**
 * Where nodes have their addresses. Of several, flannel sends what a node says to a pod of another one from the first address of its part
 * of the pods' range (docs/operate/first-tenant.md).
 */
export function nodeCidrsIn({ items }: NodesSeen): string[] {
  const own = items.flatMap(({ status }) =>
    status.addresses
      .filter(({ type, address }) => type === 'InternalIP' && isIpv4(address))
      .map(({ address }) => address),
  );
  const ofFlannel = items.length > 1 ? items.flatMap(({ spec }) => spec.podCIDR?.split('/')[0] ?? []) : [];
  return [...own, ...ofFlannel.filter(isIpv4)].map((address) => `${address}/32`);
}

const isIpv4 = (address: string) => /^\d+(\.\d+){3}$/.test(address);

/** Such as `['amd64']`. */
export const architecturesIn = ({ items }: NodesSeen): string[] => [
  ...new Set(items.map(({ status }) => status.nodeInfo.architecture)),
];

/** Of `docker buildx imagetools inspect <image> --format '{{json .}}'`. */
export interface ImageSeen {
  manifest: { digest: string; manifests?: readonly { platform?: { os?: string; architecture?: string } }[] };
  image?: { os?: string; architecture?: string } | Readonly<Record<string, unknown>>;
}

/** What it is made for, such as `amd64`; none where nobody says. */
export function platformsIn({ manifest, image }: ImageSeen): string[] {
  const listed = (manifest.manifests ?? []).flatMap(({ platform }) => platform?.architecture ?? []);
  const alone = typeof image?.architecture === 'string' ? [image.architecture] : [];
  // Attestations are listed, too, of an unknown architecture.
  return [...new Set([...listed, ...alone])].filter((one) => one !== 'unknown');
}

/** A sentence where nodes cannot run it; undefined where they can, or nobody knows. */
export function platformFault(
  image: string,
  platforms: readonly string[],
  nodes: readonly string[],
): string | undefined {
  const missing = nodes.filter((one) => !platforms.includes(one));
  if (platforms.length === 0 || missing.length === 0) return undefined;
  return `${image} is made for ${platforms.join(', ')}, and there are nodes of ${missing.join(', ')}: build it for them (parley image push --platform linux/${missing.join(',linux/')}).`;
}

/** The lowest slot of the foundation that no stack beside it has. @param files configurations of the stacks of this folder */
export function freeSlot(
  foundation: string,
  guests: number,
  files: readonly Readonly<Record<string, unknown>>[],
): number | undefined {
  const taken = files.flatMap((config) => {
    const given = config['parley:foundation'];
    if (typeof given !== 'object' || given === null || !('stack' in given) || !('slot' in given)) return [];
    return given.stack === foundation ? [Number(given.slot)] : [];
  });
  return Array.from({ length: guests }, (_, index) => index + 1).find((slot) => !taken.includes(slot));
}
