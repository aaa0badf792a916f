import * as pulumi from '@pulumi/pulumi';
import type { AgentVersion } from '../../services/agent-files/definition/compiled.ts';
import type { Tenant } from '../tenant.ts';

export interface BehaviourArgs {
  source: Tenant['agents'];
  /** Agents that come with the stack; none where they come from a repository. */
  agents: readonly AgentVersion[];
}

/**
 * What agents will say and do, as inputs of the stack: `pulumi preview --diff` shows a changed prompt beside changed
 * infrastructure. Of a repository it shows where it is read; its changes are reviewed and tried there.
 */
export class Behaviour extends pulumi.ComponentResource {
  constructor(name: string, { source, agents }: BehaviourArgs, opts?: pulumi.ComponentResourceOptions) {
    super('parley:index:Behaviour', name, {}, opts);
    const { repository, branch, path } = source;
    if (repository !== undefined) new pulumi.Stash('agents', { input: { repository, branch, path } }, { parent: this });
    for (const { hash, agent } of agents)
      new pulumi.Stash(`agent-${agent.agent}`, { input: { version: hash, agent } }, { parent: this });
    this.registerOutputs({});
  }
}
