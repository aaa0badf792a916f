import * as k8s from '@pulumi/kubernetes';
import * as pulumi from '@pulumi/pulumi';
import type { Scope } from '../plan/names.ts';
import { gitFiles, mounts } from '../plan/variables.ts';

export interface GitFilesArgs {
  scope: Scope;
  key: pulumi.Input<string>;
  knownHosts: string;
}

/** What git asks for as files: a private key, and what the server is known by. */
export class GitFiles extends pulumi.ComponentResource {
  readonly volume: k8s.types.input.core.v1.Volume;
  readonly mount: k8s.types.input.core.v1.VolumeMount;

  constructor(name: string, { scope, key, knownHosts }: GitFilesArgs, opts?: pulumi.ComponentResourceOptions) {
    super('parley:kubernetes:GitFiles', name, {}, opts);
    const secret = new k8s.core.v1.Secret(
      name,
      {
        metadata: { name: 'git-access', namespace: scope.namespace, labels: { ...scope.labels } },
        stringData: { [gitFiles.key]: key, [gitFiles.knownHosts]: knownHosts },
      },
      { parent: this },
    );
    // Readable by the group that owns the volume, which is the process's.
    this.volume = { name: 'git', secret: { secretName: secret.metadata.name, defaultMode: 0o440 } };
    this.mount = { name: 'git', mountPath: mounts.git, readOnly: true };
    this.registerOutputs({});
  }
}
