/** What a rule of the operator is: a pure function from a compiled agent to what breaks it. */
import type { CompiledAgent } from '../definition/compiled.ts';
import type { Finding } from '../faults.ts';

/** What breaks a policy. The path leads into the agent's file as it is written or, with `tool`, into that tool's file. */
export type PolicyFinding = Pick<Finding, 'path' | 'at' | 'within' | 'message'> & {
  /** Name of the tool whose file is at fault. */
  tool?: string;
};

/** A rule as this folder has them; the options come from policies.yaml. */
export type Policy<Options> = (agent: CompiledAgent, options: Options) => PolicyFinding[];

/** A rule that is switched on, with its options filled in. */
export interface NamedPolicy {
  /** Shown with every finding, and the field of policies.yaml that switches it on. */
  name: string;
  check: (agent: CompiledAgent) => PolicyFinding[];
}
