/** Checks a folder of agents, in a process that has checked none before. */
import { loadAgents } from '../../../services/agent-files/load.ts';
import { serve } from '../remote.ts';

async function check({ folder }: { folder: string }): Promise<{ tookMs: number; agents: number; faults: number }> {
  const began = performance.now();
  const { agents, faults } = await loadAgents(folder, { environment: 'development' });
  return { tookMs: performance.now() - began, agents: agents.length, faults: faults.length };
}

export const commands = { check };

serve(commands);
