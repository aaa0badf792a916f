import * as k8s from '@pulumi/kubernetes';
import * as pulumi from '@pulumi/pulumi';
import type { Scope } from '../plan/names.ts';

/** The tenant's namespace, where pods may do next to nothing, and those whose room servers and SIP bridges share their node's network. */
export class Namespaces extends pulumi.ComponentResource {
  readonly tenant: k8s.core.v1.Namespace;
  readonly rooms: k8s.core.v1.Namespace;

  constructor(
    name: string,
    { scope, erasable, hasPhone }: { scope: Scope; erasable: boolean; hasPhone: boolean },
    opts?: pulumi.ComponentResourceOptions,
  ) {
    super('parley:kubernetes:Namespaces', name, {}, opts);
    // Volumes go with it.
    this.tenant = this.#namespace(scope, scope.namespace, 'restricted', { protect: !erasable });
    // Host networking is beyond what `baseline` allows; RoomAdmission takes back everything else that this level opens.
    this.rooms = this.#namespace(scope, scope.roomsNamespace, 'privileged', {});
    if (hasPhone) this.#namespace(scope, scope.phoneNamespace, 'privileged', {});
    this.registerOutputs({});
  }

  #namespace(
    { labels }: Scope,
    name: string,
    level: 'restricted' | 'privileged',
    opts: pulumi.CustomResourceOptions,
  ): k8s.core.v1.Namespace {
    const security = Object.fromEntries(
      ['enforce', 'audit', 'warn'].map((mode) => [
        `pod-security.kubernetes.io/${mode}`,
        mode === 'enforce' ? level : 'restricted',
      ]),
    );
    return new k8s.core.v1.Namespace(
      name,
      { metadata: { name, labels: { ...labels, ...security } } },
      { parent: this, ...opts },
    );
  }
}
