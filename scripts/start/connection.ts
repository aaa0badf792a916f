import { join } from 'node:path';
import { sleepOrStop } from '../../services/process/sleep.ts';
import { type AgentCredentials, liveAgents } from './agents.ts';
import type { Launched } from './launcher.ts';
import { writePrivately } from './secrets.ts';

const lookEveryMs = 2_000;

/** Writes connection.json, which says how to reach every agent; only this user can read it. */
export async function writeConnection(
  dataFolder: string,
  { baseUrl, wsUrl, agents }: Omit<Launched, 'source' | 'signInLink'>,
): Promise<void> {
  await writePrivately(join(dataFolder, 'connection.json'), { baseUrl, wsUrl, agents });
}

/** Keeps connection.json true while agents come, go and change keys; says which are new. Ends when `signal` does. */
export async function followAgents(
  { dataFolder, signal, say }: { dataFolder: string; signal: AbortSignal; say: (line: string) => void },
  launched: Launched,
): Promise<void> {
  let known = launched.agents;
  while (!signal.aborted) {
    await sleepOrStop(lookEveryMs, signal);
    // While the database is away the agents are as they were.
    const agents = await liveAgents(launched.source).catch(() => known);
    if (signal.aborted || same(agents, known)) continue;
    for (const line of changes(known, agents)) say(line);
    await writeConnection(dataFolder, { ...launched, agents }).catch((error: Error) => say(error.message));
    known = agents;
  }
}

const same = (one: AgentCredentials, other: AgentCredentials) => JSON.stringify(one) === JSON.stringify(other);

/** One line for each agent that came, went, was disabled or enabled, or has another key. */
export function changes(before: AgentCredentials, after: AgentCredentials): string[] {
  const gone = Object.keys(before).filter((agent) => !after[agent]);
  const news = Object.entries(after).filter(([agent, { apiKey }]) => before[agent]?.apiKey !== apiKey);
  const switched = Object.entries(after).filter(
    ([agent, { disabled }]) => before[agent] && before[agent].disabled !== disabled,
  );
  return [
    ...gone.map((agent) => `Agent ${agent} is off: its file is gone.`),
    ...switched.map(([agent, { disabled }]) =>
      disabled
        ? `Agent ${agent} is disabled: its key is refused until "npx parley agents enable ${agent}".`
        : `Agent ${agent} is enabled.`,
    ),
    ...news.map(([agent, { apiKey }]) => `Agent ${agent} has the key ${apiKey}`),
  ];
}
