/** A process: runs the stories, and tells whoever started it what came of each. */
import { type Outcome, runSeed } from './run-seed.ts';
import { stories } from './stories.ts';
import { startNemesisWorld } from './world.ts';

export interface Told {
  outcome: Outcome;
  /** Whether hosts and room server were on nodes of their own. */
  hasNodes: boolean;
  /** The last lines that its processes wrote. */
  output: string;
}

async function tell(): Promise<void> {
  await using nemesis = await startNemesisWorld();
  for (const story of stories) {
    const outcome = await runSeed(nemesis, story);
    const told: Told = { outcome, hasNodes: nemesis.places.nodes !== undefined, output: nemesis.world.output() };
    process.send?.(told);
  }
}

await tell();
// The room client's library keeps a process alive.
process.exit();
