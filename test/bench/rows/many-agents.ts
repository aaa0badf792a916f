import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { draftAgent } from '../../../scripts/cli/agents/new/draft.ts';

const demo = new URL('../../../agents/', import.meta.url);

/** Text of an agent by its number; the edition changes a line of its prompt. */
export type AgentText = (number: number, edition?: number) => string;

/** As `npx parley agents new` writes it, in two languages and with a paragraph of instructions. */
export const newAgent: AgentText = (number, edition = 1) =>
  draftAgent(
    {
      name: `Support desk ${number}`,
      purpose: `You are the support desk of branch ${number}, in edition ${edition} of your instructions. ${instructions}`,
      languages: ['en', 'de'],
      tools: ['look_up_order', 'end_call'],
    },
    '../schemas',
  ).agent;

const instructions =
  'Answer questions about delivery, returns, refunds and warranty, and promise nothing else. For anything about an order, ask for its number and call look_up_order before you answer; never guess a status. When the number is unknown, ask the customer to check it; it looks like A-1001. You cannot change orders or pay refunds: for those give help@hazel-oak.example and say when the team answers.';

/** The demo's support agent, most of which is a script of what it says without a model. */
export async function supportAgents(): Promise<AgentText> {
  const demoText = await readFile(new URL('support.yaml', demo), 'utf8');
  return (number, edition = 1) =>
    demoText
      .replace(/^name: .*/m, `name: Support desk ${number}`)
      .replace(/^prompt: \|\n/m, `prompt: |\n  You answer for branch ${number}, in edition ${edition}.\n`);
}

export const agentFile = (number: number): string => `branch-${number}.yaml`;

/** Fills an empty folder with so many agents, which share tools and knowledge. Returns the mean size of one in kB. */
export async function writeManyAgents(folder: string, count: number, text: AgentText): Promise<number> {
  await mkdir(folder, { recursive: true });
  for (const shared of ['tools', 'knowledge'])
    await cp(new URL(shared, demo), join(folder, shared), { recursive: true });
  let bytes = 0;
  for (let number = 1; number <= count; number += 1) {
    bytes += Buffer.byteLength(text(number));
    await writeFile(join(folder, agentFile(number)), text(number));
  }
  return bytes / count / 1000;
}
