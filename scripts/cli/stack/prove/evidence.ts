/** Runs the steps of a proof, and writes down what each said. */
import { writeFile } from 'node:fs/promises';
import type { Step } from './steps.ts';

export interface Seen {
  shows: string;
  command: string;
  startedAt: string;
  seconds: number;
  succeeded: boolean;
  /** The end of what it wrote. */
  said: string;
}

export interface Evidence {
  stack: string;
  steps: Seen[];
  /** Whether every step that had to succeed did. */
  complete: boolean;
}

export type Runner = (
  command: string,
  args: readonly string[],
) => Promise<{ succeeded: boolean; output: string; stdout: string }>;

const lastCharacters = 4_000;

/** @param keep is called after each step, so that an interrupted proof has its evidence, too. @returns what was seen */
export async function prove(
  stack: string,
  steps: readonly Step[],
  {
    run,
    keep,
    say,
    now,
  }: { run: Runner; keep(evidence: Evidence): Promise<void>; say(line: string): void; now(): number },
): Promise<Evidence> {
  const evidence: Evidence = { stack, steps: [], complete: false };
  for (const step of steps) {
    const from = now();
    say(`… ${step.shows}`);
    const { succeeded, output, stdout } = await run(step.command, step.args);
    if (step.into !== undefined && succeeded) await writeFile(step.into, stdout, { mode: 0o600 });
    evidence.steps.push({
      shows: step.shows,
      command: [step.command.split('/').at(-1), ...step.args].join(' '),
      startedAt: new Date(from).toISOString(),
      seconds: Math.round((now() - from) / 1_000),
      succeeded,
      // What opens a cluster is no evidence.
      said: step.into === undefined ? output.slice(-lastCharacters) : '',
    });
    say(`${succeeded ? 'ok     ' : 'FAILED '} ${step.shows} (${Math.round((now() - from) / 1_000)} s)`);
    await keep(evidence);
    if (!succeeded && step.mayFail !== true) return evidence;
  }
  evidence.complete = true;
  await keep(evidence);
  return evidence;
}
