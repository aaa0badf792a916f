import type { Environment } from './webhook-url.ts';

/** What an agent may refer to, and where it will run. */
export interface AgentSurroundings {
  /** Names of all tool files, faulty ones included. */
  tools: readonly string[];
  /** Of the tool files without a fault, by the tool's name. */
  parameters: ReadonlyMap<string, Record<string, unknown>>;
  /** Text of all knowledge files by name. */
  knowledge: ReadonlyMap<string, string>;
  environment: Environment;
  /** Whether the tenant's webhook feature is on. */
  webhookEnabled: boolean;
}
