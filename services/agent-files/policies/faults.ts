import type { CompiledAgent } from '../definition/compiled.ts';
import { byPosition, type Fault, type Finding } from '../faults.ts';
import type { NamedPolicy, PolicyFinding } from './policy.ts';

/** Where parts of the files stand: an agent's own file, or the file of one of its tools. */
export interface Places {
  inAgent: (agent: string, finding: Finding) => Fault;
  inTool: (tool: string, finding: Finding) => Fault;
}

export interface Refusal {
  agent: string;
  faults: Fault[];
}

/** The agents that break a policy, each with what is wrong and where. A policy that throws refuses the agent too. */
export function refusals(
  agents: readonly CompiledAgent[],
  policies: readonly NamedPolicy[],
  places: Places,
): Refusal[] {
  return agents.flatMap((agent) => {
    const faults = policies.flatMap((policy) =>
      findingsOf(policy, agent).map((finding) => located(agent.agent, policy.name, finding, places)),
    );
    return faults.length === 0 ? [] : [{ agent: agent.agent, faults }];
  });
}

/** Two agents with one tool would report it twice. */
export function distinctFaults(found: readonly Refusal[]): Fault[] {
  const faults = found.flatMap((refusal) => refusal.faults);
  return [...new Map(faults.map((fault) => [JSON.stringify(fault), fault])).values()].toSorted(byPosition);
}

function findingsOf({ check }: NamedPolicy, agent: CompiledAgent): PolicyFinding[] {
  try {
    return check(agent);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return [{ path: [], message: `The policy failed, so that this agent is refused: ${reason}.` }];
  }
}

function located(agent: string, name: string, { tool, message, ...place }: PolicyFinding, places: Places): Fault {
  const finding: Finding = { ...place, rule: `policy:${name}`, message: `${message} (policy ${name})` };
  return tool === undefined ? places.inAgent(agent, finding) : places.inTool(tool, finding);
}
