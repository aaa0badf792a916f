/**
 * `npm run scaling`: KEDA's own operator and adapter scale the agents of a tenant in a real cluster on our figure, with real agent
 * hosts for its pods; keeps what happened in test/bench/results/scaling.json.
 */
import { writeFile } from 'node:fs/promises';
import { machine, versions } from '../test/bench/versions.ts';
import { startScalingWorld } from '../test/infra/scaling/scaling-world.ts';
import { keepTimeline, tellStory } from '../test/infra/scaling/story.ts';
import { kubernetesVersion, kwokVersion } from './toolchain/kubernetes.ts';
import { readArguments, runScript } from './toolchain/script.ts';

const results = new URL('../test/bench/results/scaling.json', import.meta.url);
const say = (line: string) => void process.stdout.write(`${line}\n`);

const help = `Usage: npm run scaling

KEDA's own operator scales the agents of a tenant in a real cluster: about 20 minutes, most of it waiting as the stack tells
KEDA to wait; the first time about as long again, to build KEDA. The result is kept in test/bench/results/scaling.json.`;

async function main(args: string[]): Promise<void> {
  const { values } = readArguments({ args, options: { help: { type: 'boolean', short: 'h' } } });
  if (values.help) return say(help);
  say('A cluster, a tenant in it, KEDA …');
  await using world = await startScalingWorld();
  const timeline = keepTimeline(world);
  try {
    const story = await tellStory(world, ({ what, seconds, agents }) =>
      say(`${what} (${seconds} s; agents: ${agents})`),
    );
    await timeline.stop();
    say(`${story.conversationsHandedOver} conversations were handed over.`);
    const { minReplicas, maxReplicas, fixedReplicas, targetSessionsPerPod, targetVoicePerPod } = world.plan.agents;
    const record = {
      at: new Date().toISOString(),
      machine: machine(),
      versions: { ...(await versions()), keda: world.keda.version, kubernetes: kubernetesVersion, kwok: kwokVersion },
      plan: { minReplicas, maxReplicas, fixedReplicas, targetSessionsPerPod, targetVoicePerPod },
      ...story,
      timeline: timeline.moments,
    };
    await writeFile(results, `${JSON.stringify(record, null, 2)}\n`);
  } catch (error) {
    await timeline.stop();
    say(`${JSON.stringify(timeline.moments)}\n${await world.keda.output()}`);
    throw error;
  }
}

await runScript(main);
// The native room client keeps its threads.
process.exit();
