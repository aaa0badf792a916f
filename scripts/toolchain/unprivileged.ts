import { execFile } from 'node:child_process';
import { stat } from 'node:fs/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** What `spawn` needs to run a program. */
export interface Launch {
  file: string;
  args: string[];
  options: { uid?: number; gid?: number };
}

export interface Privileges {
  /** The account to run as; absent: ours. */
  account?: Account | undefined;
  /** The signal that the system sends when we die; works where `setpriv` is (Linux). */
  whenWeDie?: 'KILL' | 'QUIT' | undefined;
}

export interface Account {
  uid: number;
  gid: number;
}

/**
 * PostgreSQL refuses to run as root; then it runs as `nobody`. That account may not enter folders such as /root, where a
 * checkout may lie, so it gets the one capability to do so, which still leaves it with less than root has.
 */
export async function launch(file: string, args: string[], { account, whenWeDie }: Privileges): Promise<Launch> {
  const identity = account ? [`--reuid=${account.uid}`, `--regid=${account.gid}`, '--clear-groups', ...traversal] : [];
  const death = whenWeDie ? [`--pdeathsig=${whenWeDie}`] : [];
  const limits = [...identity, ...death];
  if (limits.length === 0 || !(await setprivTakes(limits))) return { file, args, options: { ...account } };
  return { file: 'setpriv', args: [...limits, '--', file, ...args], options: {} };
}

/** The bit is for access(2), which by default forgets the capabilities of whoever is not root. */
const traversal = ['--inh-caps=+dac_override', '--ambient-caps=+dac_override', '--securebits=+no_setuid_fixup'];

/** The account that servers run as which refuse root; undefined when we are not root. */
export async function serverAccount(): Promise<Account | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const [uid, gid] = await Promise.all(['-u', '-g'].map((flag) => run('id', [flag, 'nobody'])));
  return { uid: Number(uid?.stdout), gid: Number(gid?.stdout) };
}

/** The account that owns a server's data; undefined when we are not root, who alone may choose. */
export async function ownerAccount(folder: string): Promise<Account | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const { uid, gid } = await stat(folder);
  return { uid, gid };
}

const probes = new Map<string, Promise<boolean>>();

/** A container's root may lack the capability, and busybox's setpriv knows fewer options: so try. */
function setprivTakes(limits: string[]): Promise<boolean> {
  const key = limits.join(' ');
  const probe =
    probes.get(key) ??
    run('setpriv', [...limits, '--', 'true']).then(
      () => true,
      () => false,
    );
  probes.set(key, probe);
  return probe;
}
