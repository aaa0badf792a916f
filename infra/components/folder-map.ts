import { createHash } from 'node:crypto';
import * as k8s from '@pulumi/kubernetes';
import * as pulumi from '@pulumi/pulumi';
import type { Folder } from '../folders.ts';
import type { Scope } from '../plan/names.ts';

export interface FolderMapArgs {
  scope: Scope;
  name: string;
  folder: Folder;
  mountPath: string;
}

/** A folder of texts in the cluster. Another content has another name, so that pods are replaced with it and a revert is one, too. */
export class FolderMap extends pulumi.ComponentResource {
  readonly volume: k8s.types.input.core.v1.Volume;
  readonly mount: k8s.types.input.core.v1.VolumeMount;

  constructor(
    name: string,
    { scope, name: what, folder, mountPath }: FolderMapArgs,
    opts?: pulumi.ComponentResourceOptions,
  ) {
    super('parley:kubernetes:FolderMap', name, {}, opts);
    // Keys of a ConfigMap have no slashes; a number tells files apart whose names would become the same.
    const files = [...folder]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([path, text], index) => ({ key: `${index}-${path.replaceAll('/', '-')}`, path, text }));
    const version = createHash('sha256')
      .update(JSON.stringify([...folder].sort()))
      .digest('hex')
      .slice(0, 10);
    const map = new k8s.core.v1.ConfigMap(
      name,
      {
        metadata: { name: `${what}-${version}`, namespace: scope.namespace, labels: { ...scope.labels } },
        immutable: true,
        // No secret; but a preview of differences would print every file of the folder.
        data: pulumi.secret(Object.fromEntries(files.map(({ key, text }) => [key, text]))),
      },
      { parent: this },
    );
    this.volume = {
      name: what,
      configMap: { name: map.metadata.name, items: files.map(({ key, path }) => ({ key, path })) },
    };
    this.mount = { name: what, mountPath, readOnly: true };
    this.registerOutputs({});
  }
}
