import * as k8s from '@pulumi/kubernetes';
import * as pulumi from '@pulumi/pulumi';
import { gitFiles, mounts } from '../plan/variables.ts';
import type { TenantPlan } from '../plan.ts';

export interface GitFilesArgs {
  plan: TenantPlan;
  sshKey: pulumi.Input<string>;
}

/** What git asks for as files: a private key, and what the server is known by. */
export class GitFiles extends pulumi.ComponentResource {
  readonly volume: k8s.types.input.core.v1.Volume;
  readonly mount: k8s.types.input.core.v1.VolumeMount;

  constructor(name: string, { plan, sshKey }: GitFilesArgs, opts?: pulumi.ComponentResourceOptions) {
    super('parley:kubernetes:GitFiles', name, {}, opts);
    const secret = new k8s.core.v1.Secret(
      name,
      {
        metadata: { name: 'git-access', namespace: plan.names.namespace, labels: { ...plan.labels } },
        stringData: { [gitFiles.key]: sshKey, [gitFiles.knownHosts]: plan.tenant.agents.sshKnownHosts ?? '' },
      },
      { parent: this },
    );
    // Readable by the group that owns the volume, which is the process's.
    this.volume = { name: 'git', secret: { secretName: secret.metadata.name, defaultMode: 0o440 } };
    this.mount = { name: 'git', mountPath: mounts.git, readOnly: true };
    this.registerOutputs({});
  }
}
