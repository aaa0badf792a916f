import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { endsWithUs } from '../support/world/ends-with-us.ts';

/** What another process of the benchmark can be asked to do. Arguments and results pass as JSON. */
// biome-ignore lint/suspicious/noExplicitAny: arguments of any command; each call is checked against its own command.
export type Commands = Record<string, (argument: any) => Promise<unknown>>;

export interface Remote<Served extends Commands> extends AsyncDisposable {
  readonly pid: number;
  call<Name extends keyof Served & string>(
    name: Name,
    argument: Parameters<Served[Name]>[0],
  ): Promise<Awaited<ReturnType<Served[Name]>>>;
}

interface Question {
  id: number;
  name: string;
  argument: unknown;
}

type Answer = { id: number; result: unknown } | { id: number; error: string };

/** Starts `entry` in a process of its own, which ends with this one. @throws Error from a call when the process ends or fails. */
export async function startRemote<Served extends Commands>(
  entry: URL,
  env: Record<string, string> = {},
): Promise<Remote<Served>> {
  const [execPath, execArgv] = endsWithUs(process.execPath, process.execArgv);
  const child = fork(entry, {
    execPath,
    execArgv,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const waiting = new Map<number, PromiseWithResolvers<unknown>>();
  let last = 0;
  child.on('message', (answer: Answer) => {
    const asked = waiting.get(answer.id);
    waiting.delete(answer.id);
    if ('error' in answer) asked?.reject(new Error(answer.error));
    else asked?.resolve(answer.result);
  });
  child.on('exit', (code, signal) => {
    for (const asked of waiting.values()) asked.reject(new Error(`${entry.pathname} ended (${signal ?? code})`));
    waiting.clear();
  });
  const ask = (name: string, argument: unknown) => {
    const asked = Promise.withResolvers<unknown>();
    last += 1;
    waiting.set(last, asked);
    child.send({ id: last, name, argument: argument ?? null } satisfies Question);
    return asked.promise;
  };
  return {
    pid: child.pid ?? 0,
    call: (name, argument) => ask(name, argument) as never,
    [Symbol.asyncDispose]: () => end(child),
  };
}

/** How long a process may take to end what it has started itself. */
const patienceMs = 2_000;

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  const kill = setTimeout(() => child.kill('SIGKILL'), patienceMs);
  await exited;
  clearTimeout(kill);
}

/** The other side: answers what it is asked until the process that started it has gone. */
export function serve(commands: Commands): void {
  // Exits in its own words, so that what it has started ends with it.
  for (const end of ['disconnect', 'SIGTERM', 'SIGINT']) process.on(end, () => process.exit());
  process.on('message', ({ id, name, argument }: Question) => {
    const work = async () => commands[name]?.(argument);
    work().then(
      (result) => process.send?.({ id, result: result ?? null }),
      (error: Error) => process.send?.({ id, error: error.stack ?? String(error) }),
    );
  });
}
