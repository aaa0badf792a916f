import * as pulumi from '@pulumi/pulumi';
import type { AgentVersion } from '../../services/agent-files/definition/compiled.ts';
import type { Tenant } from '../tenant.ts';

export interface BehaviourArgs {
  source: Tenant['agents'];
  /** Agents that come with the stack; none where they come from a repository. */
  agents: readonly AgentVersion[];
}

/**
 * What agents will say and do, as inputs of the stack. A preview names the agents that change, and says in words what (changes/words.ts); the whole
 * of a definition is secret, so that `--diff` does not print it. Of a repository it shows where it is read; its changes are reviewed and tried there.
 */
export class Behaviour extends pulumi.ComponentResource {
  constructor(name: string, { source, agents }: BehaviourArgs, opts?: pulumi.ComponentResourceOptions) {
    super('parley:index:Behaviour', name, {}, opts);
    const { repository, branch, path } = source;
    if (repository !== undefined) new pulumi.Stash('agents', { input: { repository, branch, path } }, { parent: this });
    for (const { hash, agent } of agents)
      new pulumi.Stash(`agent-${agent.agent}`, { input: pulumi.secret({ version: hash, agent }) }, { parent: this });
    this.registerOutputs({});
  }
}
