import { checkPrompt } from '../../agent-files/check/agent.ts';
import { findSecrets } from '../../agent-files/check/secrets.ts';
import { instructionTokens } from '../../agent-files/compare/diff.ts';
import { diffLines } from '../../agent-files/compare/line-diff.ts';
import type { CompiledAgent } from '../../agent-files/definition/compiled.ts';
import { renderInstructions } from '../../agent-files/definition/instructions.ts';
import type { PromptPreview } from '../../contract/deployment-answers.ts';
import { problems } from '../../contract/problems.ts';
import type { Database } from '../../store/database.ts';
import { findAgentFile } from '../../store/tables/agent-sources.ts';
import { findAgent } from '../../store/tables/agents.ts';
import { languageFor } from './agents.ts';

interface Asked {
  tenant: string;
  agent: string;
  prompt: string;
  /** The agent's default where it is undefined. */
  language: string | undefined;
}

/**
 * What a prompt would become, with the knowledge and the tools that are live. Writes nothing.
 * @throws Problem `agent_not_found`, `language_not_configured`
 */
export async function previewPrompt(
  db: Database,
  { tenant, agent, prompt, language }: Asked,
  now: Date,
): Promise<PromptPreview> {
  const { row, file } = await db.asTenant(tenant, async (tx) => ({
    row: await findAgent(tx, agent),
    file: await findAgentFile(tx, agent),
  }));
  if (!row) throw problems.agentNotFound(agent);
  const live = row.definition;
  const code = languageFor(live, language);
  // As the compiler takes it from the file.
  const wanted = { ...live, prompt: prompt.trim() };
  return {
    instructions: { language: code, text: renderInstructions(wanted, { now, language: code, channel: 'api' }) },
    instructionTokens: instructionTokens(wanted),
    liveTokens: instructionTokens(live),
    faults: faultsOf(wanted),
    lines: typeof file?.prompt === 'string' ? diffLines(file.prompt.trim(), wanted.prompt) : [],
  };
}

/** What can be told without the other files: the worker judges all of them before it writes. */
const faultsOf = ({ prompt, settings: { phone } }: CompiledAgent): PromptPreview['faults'] =>
  [...checkPrompt({ prompt, ...(phone && { phone }) }), ...findSecrets({ prompt })].map(({ message }) => ({ message }));
