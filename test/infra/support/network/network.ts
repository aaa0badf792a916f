/** Whoever opens connections in a cluster, or is asked for one. */
export interface Party {
  name: string;
  address: string;
  /** Undefined: a node, with what runs on its own network, or a place outside of the cluster. */
  pod?: { namespace: string; labels: Readonly<Record<string, string>> };
  isNode?: boolean;
}

export interface Service {
  name: string;
  namespace: string;
  /** Undefined: none of its own, its name leads to its pods. */
  address: string | undefined;
  selector: Readonly<Record<string, string>>;
  ports: readonly { port: number; target: number; protocol: 'TCP' | 'UDP' }[];
  backends: readonly Party[];
}

/** All that a connection may lead to. */
export interface Network {
  parties: readonly Party[];
  services: readonly Service[];
}
