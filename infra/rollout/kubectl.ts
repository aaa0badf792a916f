import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { DeploymentSeen, Look, PodSeen } from './causes.ts';

const run = promisify(execFile);
const answerWithinMs = 20_000;
const longestAnswer = 64 * 1024 * 1024;

/** What a stack asks its cluster, by the program that its operator has anyway. */
export interface Cluster {
  look(): Promise<Look>;
  /** Of definitions such as `scaledobjects.keda.sh`, those that the cluster does not have. */
  missing(definitions: readonly string[]): Promise<string[]>;
}

/** @param which how kubectl is told the cluster, such as `['--context', 'k3s']` */
export function clusterBy(which: readonly string[], namespaces: readonly string[]): Cluster {
  const kubectl = async (...args: string[]) => {
    const options = { timeout: answerWithinMs, maxBuffer: longestAnswer };
    return (await run('kubectl', [...which, ...args], options)).stdout;
  };
  const list = async <Seen>(kind: string): Promise<Seen[]> => {
    const answers = await Promise.all(namespaces.map((name) => kubectl('get', kind, '-n', name, '-o', 'json')));
    return answers.flatMap((answer) => (JSON.parse(answer) as { items: Seen[] }).items);
  };
  return {
    async look() {
      const [pods, deployments] = await Promise.all([list<PodSeen>('pods'), list<DeploymentSeen>('deployments')]);
      return { pods, deployments };
    },
    async missing(definitions) {
      const known = await kubectl('get', 'customresourcedefinitions', '-o', 'name');
      return definitions.filter((name) => !known.includes(`/${name}\n`));
    },
  };
}
