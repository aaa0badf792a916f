import { runHere } from '../toolchain/commands.ts';
import { Fault } from '../toolchain/fault.ts';
import { readStack } from './stack.ts';

/** The keys for people are with the API only, all others with the worker, too. */
export type Pod = 'worker' | 'api';

/**
 * Runs the command that was called here in a pod of a stack, which has what it needs: the database is not to be reached from
 * elsewhere, and the keys are in the cluster only. Whoever may do so with kubectl may do it here.
 * @param given what stands behind `parley`
 * @param needsUrl the command wants an address of the installation and was given none: the stack tells it
 */
export async function runInStack(
  stack: string,
  given: readonly string[],
  { pod, needsUrl, env = process.env }: { pod: Pod; needsUrl: boolean; env?: NodeJS.ProcessEnv },
): Promise<void> {
  const { namespace, url } = await readStack(stack, env);
  if (namespace === undefined)
    throw new Fault(
      `Stack "${stack}" does not tell its namespace, as those of an older release: run "pulumi up" first.`,
    );
  const words = [...withoutStack(given), ...(needsUrl ? ['--url', url] : [])];
  const inPod = ['--namespace', namespace, 'exec', `deploy/${pod}`, '--', 'parley', ...words];
  if (!(await runHere('kubectl', inPod, env))) process.exitCode = 1;
}

/** The words without the option that says where. */
export const withoutStack = (given: readonly string[]): string[] =>
  given.filter((word, index) => word !== '--stack' && !word.startsWith('--stack=') && given[index - 1] !== '--stack');
