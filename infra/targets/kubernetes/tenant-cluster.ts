import * as k8s from '@pulumi/kubernetes';
import * as pulumi from '@pulumi/pulumi';

export interface TenantClusterArgs {
  /** The stack's name. */
  slug: string;
  /** Of the kubeconfig. */
  context: string;
}

/** A namespace that every cluster has from its beginning to its end, so that its identity is the cluster's. */
const oldest = 'kube-system';

/**
 * The cluster that the stack was first brought up on, and no other. A kubeconfig that leads elsewhere is refused before anything is
 * changed; one that leads to the same cluster by another address, or with other credentials, changes nothing.
 */
export class TenantCluster extends pulumi.ComponentResource {
  readonly provider: k8s.Provider;

  constructor(name: string, { slug, context }: TenantClusterArgs, opts?: pulumi.ComponentResourceOptions) {
    super('parley:kubernetes:TenantCluster', name, {}, opts);
    // Only a change of this replaces the provider, and with it all that it made.
    const clusterIdentifier = `stack ${slug}`;
    const looking = new k8s.Provider(`${name}-look`, { context, clusterIdentifier }, { parent: this });
    const { metadata } = k8s.core.v1.Namespace.get(`${name}-oldest`, oldest, { parent: this, provider: looking });
    const found = metadata.uid;
    const known = new pulumi.Stash('cluster', { input: found }, { parent: this, ignoreChanges: ['input'] });
    this.provider = new k8s.Provider(
      name,
      {
        context: sameCluster(context, found, known.output),
        clusterIdentifier,
        // A Secret that changes stays the same object, so that nobody looks for it in vain meanwhile.
        enableSecretMutable: true,
        // An up that was killed leaves objects that the state does not have: the next one takes them over as they are.
        upsertExistingObjects: true,
        // KEDA, operators and people write fields, too; what the stack says holds.
        enablePatchForce: true,
      },
      // Its parent is the tenant, as it was before there was this component: another would make another provider.
      opts?.parent === undefined ? {} : { parent: opts.parent },
    );
    this.registerOutputs({});
  }
}

/** The context, once it is sure where it leads. */
function sameCluster(
  context: string,
  found: pulumi.Output<string>,
  known: pulumi.Output<unknown>,
): pulumi.Output<string> {
  return pulumi.all([found, known]).apply(([now, before]) => {
    if (now === before) return context;
    throw new pulumi.RunError(
      `The context "${context}" leads to another cluster than the one that has this stack's tenant. Nothing was changed. ` +
        'Check KUBECONFIG and the clusters that it names.',
    );
  });
}
