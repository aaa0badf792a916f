import { basename } from 'node:path';
import type { LoadResult } from '../agent-files/load.ts';
import type { ScenarioJob } from '../agent-files/scenarios/report.ts';

/** The scenarios of the agents that are named, by their id or by a file of theirs; of all when none is. */
export function choose(
  { agents, scenarios }: Pick<LoadResult, 'agents' | 'scenarios'>,
  names: readonly string[],
): { jobs: ScenarioJob[] } | { problem: string } {
  const wanted = names.map((name) => basename(name).replace(/\.yaml$/, ''));
  const known = scenarios.map(({ agent }) => agent);
  const unknown = wanted.find((name) => !known.includes(name));
  if (unknown !== undefined)
    return {
      problem: `There are no scenarios of an agent "${unknown}". There are some of: ${known.join(', ') || 'none'}.`,
    };
  const jobs = scenarios
    .filter(({ agent }) => wanted.length === 0 || wanted.includes(agent))
    .flatMap((file) => {
      const version = agents.find(({ agent }) => agent.agent === file.agent);
      return version ? [{ definition: version.agent, scenarios: file.scenarios }] : [];
    });
  return jobs.length === 0
    ? { problem: 'There are no scenarios: they are written in scenarios/<agent>.yaml.' }
    : { jobs };
}
