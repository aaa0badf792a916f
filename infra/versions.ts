/**
 * What a stack installs, or was tried with, in one place: versions that belong together are raised together, in the order of
 * docs/operate/versions.md. Where its makers say until when they mend a version, `npm run check` fails 90 days before.
 */

export interface Version {
  version: string;
  /** Last day on which its makers mend it, such as 2027-03-27; undefined where they name none. */
  supportEnds?: string;
  /** Who says so, or why nobody does. */
  source: string;
}

/** Colours of the node groups for rooms: calls stay on the one while new ones come to the other. */
export type RoomColour = 'blue' | 'green';

/** Of nodes: the Kubernetes of their kubelet, and AWS's release of the image, which names it, too. */
export interface NodeImage {
  kubernetes: string;
  release: string;
}

export interface ClusterVersions {
  nodes: NodeImage;
  /** Of EKS, by their names there; each belongs to the version of the cluster. */
  addOns: Readonly<Record<AddOn, string>>;
  /** Its minor version is the cluster's. */
  autoscaler: string;
}

export type AddOn =
  | 'vpc-cni'
  | 'kube-proxy'
  | 'coredns'
  | 'eks-pod-identity-agent'
  | 'aws-secrets-store-csi-driver-provider';

/** Standard support; a cluster that is older costs six times as much, or is upgraded by AWS. */
export const kubernetes: Version = {
  version: '1.35',
  supportEnds: '2027-03-27',
  source: 'https://docs.aws.amazon.com/eks/latest/userguide/kubernetes-versions.html, as quoted in April 2026',
};

/**
 * By the version of the cluster. Releases and add-ons are those that public stacks of September 2026 pin for it; AWS itself was not
 * asked. `aws eks describe-addon-versions --kubernetes-version 1.35` and the parameter
 * /aws/service/eks/optimized-ami/1.35/amazon-linux-2023/x86_64/standard/recommended/release_version tell the newest.
 */
export const clusters: Readonly<Record<string, ClusterVersions>> = {
  '1.35': {
    nodes: { kubernetes: '1.35', release: '1.35.7-20260911' },
    addOns: {
      'vpc-cni': 'v1.23.1-eksbuild.1',
      'kube-proxy': 'v1.35.3-eksbuild.29',
      coredns: 'v1.14.3-eksbuild.22',
      'eks-pod-identity-agent': 'v1.3.10-eksbuild.3',
      'aws-secrets-store-csi-driver-provider': 'v3.1.3-eksbuild.1',
    },
    autoscaler: 'v1.35.0',
  },
};

/**
 * Nodes of rooms by colour. Whoever raises them changes the colour that is not `active`, and then makes it active: nodes with calls on
 * them are never replaced. The other colour is empty by the next time.
 */
export const roomNodes: { active: RoomColour } & Readonly<Record<RoomColour, NodeImage>> = {
  active: 'blue',
  blue: { kubernetes: '1.35', release: '1.35.7-20260911' },
  green: { kubernetes: '1.35', release: '1.35.7-20260911' },
};

/** Charts that a foundation installs. */
export const charts = {
  keda: { chart: 'keda', version: '2.18.0', repo: 'https://kedacore.github.io/charts' },
  autoscaler: {
    ...{ chart: 'cluster-autoscaler', version: '9.55.1', repo: 'https://kubernetes.github.io/autoscaler' },
    // The autoscaler that it gives its rights for: from 1.35 on it lists resource.k8s.io, and without the right sees no node to add.
    app: '1.35.0',
  },
} as const;

/** Engines that AWS runs for us. */
export const engines = {
  postgres: {
    version: '18',
    supportEnds: '2030-11-14',
    source: 'https://www.postgresql.org/support/versioning/; RDS goes on for some months',
  },
  valkey: { version: '8.0', source: 'ElastiCache names no end of Valkey 8' },
} as const satisfies Record<string, Version>;

/** What runs in a cluster beside our image, and was tried with it. */
export const tried = {
  'room server': { version: '1.13.5', source: 'LiveKit mends its newest release only' },
  'SIP bridge': { version: '1.8.0', source: 'LiveKit mends its newest release only' },
  KEDA: { version: charts.keda.version, source: 'KEDA mends its newest release only' },
  CloudNativePG: { version: '1.27.0', source: 'whoever runs the cluster installs the operator, and upgrades it' },
} as const satisfies Record<string, Version>;

const all: Readonly<Record<string, Version>> = { Kubernetes: kubernetes, ...engines, ...tried };

const dayMs = 86_400_000;
const noticeDays = 90;

/** A sentence for each version that its makers stop mending within 90 days of `now`, or have stopped. */
export const endingSoon = (now: Date, versions: Readonly<Record<string, Version>> = all): string[] =>
  Object.entries(versions).flatMap(([name, { version, supportEnds }]) =>
    supportEnds !== undefined && Date.parse(supportEnds) - now.getTime() < noticeDays * dayMs
      ? [`Support of ${name} ${version} ends on ${supportEnds}: infra/versions.ts, docs/operate/versions.md.`]
      : [],
  );
