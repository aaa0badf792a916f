import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readdir, readFile, readlink, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { freeTcpPort, freeUdpPort } from '../../../scripts/toolchain/ports.ts';
import { settings } from '../../../services/settings/settings.ts';
import { eventually } from '../eventually.ts';

/** Of a kind that every process is passed on. */
const markName = 'XDG_TEST_MARK';

export interface Connection {
  baseUrl: string;
  wsUrl: string;
  agents: Record<string, { apiKey: string; apiSecret: string }>;
}

/** Ports of a start's own, as `npm start` takes them. */
export async function ownPorts(): Promise<string[]> {
  const [api, tools, postgres, rooms, udp] = await Promise.all([
    freeTcpPort(),
    freeTcpPort(),
    freeTcpPort(),
    freeTcpPort(),
    freeUdpPort(),
  ]);
  // Four in a row are used; below the range that freeTcpPort takes from.
  const internal = 10_000 + Math.floor(Math.random() * 400) * 4;
  return [
    ['--port', api],
    ['--internal-port', internal],
    ['--demo-tools-port', tools],
    ['--postgres-port', postgres],
    ['--room-port', rooms],
    ['--room-udp-port', udp],
  ].flatMap(([flag, port]) => [String(flag), String(port)]);
}

/** `npm start` as a person runs it in a terminal. */
export class Started implements AsyncDisposable {
  readonly folder: string;
  readonly #child: ChildProcess;
  readonly #mark = randomUUID();
  readonly exited: Promise<number | null>;
  output = '';

  constructor(folder: string, args: readonly string[], env: Record<string, string> = {}) {
    this.folder = folder;
    this.#child = spawn('npm', ['start', '--', ...args], {
      cwd: folder,
      // A terminal's Ctrl-C reaches the group that the command leads.
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
      // Its own models take hundreds of megabytes: one story of their own asks for them (test/speech).
      env: { ...plainEnvironment(), [settings.localSpeech.name]: 'simple', ...env, [markName]: this.#mark },
    });
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream?.on('data', (chunk: Buffer) => {
        this.output += chunk;
      });
    }
    this.exited = once(this.#child, 'close').then(([code]) => code as number | null);
  }

  /** Waits until everything is up, the first installation included. */
  async ready(dataFolder = join(this.folder, '.parley')): Promise<Connection> {
    let over = false;
    void this.exited.then(() => {
      over = true;
    });
    await eventually('npm start is ready', () => over || this.output.includes('Parley is ready'), {
      withinMs: 600_000,
      everyMs: 100,
    });
    if (over) throw new Error(`npm start ended:\n${this.output}`);
    return JSON.parse(await readFile(join(dataFolder, 'connection.json'), 'utf8')) as Connection;
  }

  /** Ctrl-C; resolves when the command has given the terminal back. */
  async interrupt(): Promise<void> {
    const ended = once(this.#child, 'exit');
    process.kill(-(this.#child.pid ?? 0), 'SIGINT');
    await ended;
  }

  /** SIGKILL for the launcher itself, not for what started it. */
  async killLauncher(): Promise<void> {
    const lock = await readFile(join(this.folder, '.parley', 'start.lock'), 'utf8');
    process.kill((JSON.parse(lock) as { pid: number }).pid, 'SIGKILL');
    await this.exited;
  }

  /** Every process that this start left running, told by a variable that all inherit: pid and command line. */
  marked(): Promise<string[]> {
    return processes((environ) => environ.includes(`${markName}=${this.#mark}`));
  }

  /** What the system shows of the environment of its processes that run something below a folder of the repository. */
  async environments(folder: string): Promise<string[]> {
    const lines = (await this.marked()).filter((line) => line.includes(join(this.folder, folder)));
    return Promise.all(lines.map((line) => readFile(`/proc/${Number.parseInt(line, 10)}/environ`, 'utf8')));
  }

  /** The same, and every process that works in its data: PostgreSQL's own processes overwrite their variables. */
  async remaining(): Promise<string[]> {
    const data = await realpath(join(this.folder, '.parley')).catch(() => undefined);
    const inData = await processes((_, cwd) => data !== undefined && cwd.startsWith(data));
    return [...new Set([...(await this.marked()), ...inData])];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const line of await this.remaining()) {
      try {
        process.kill(Number.parseInt(line, 10), 'SIGKILL');
      } catch {
        // Gone by itself.
      }
    }
  }
}

async function processes(isMeant: (environ: string, cwd: string) => boolean): Promise<string[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const found = await Promise.all(
    pids.map(async (pid) => {
      const read = (name: string) => readFile(`/proc/${pid}/${name}`, 'utf8').catch(() => '');
      const cwd = await readlink(`/proc/${pid}/cwd`).catch(() => '');
      return isMeant(await read('environ'), cwd) ? `${pid} ${(await read('cmdline')).replaceAll('\0', ' ')}` : '';
    }),
  );
  return found.filter((line) => line !== '');
}

/** Ours without what the test runner and npm have put into it. */
function plainEnvironment(): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(
    ([name]) =>
      name === settings.cacheFolder.name ||
      !/^(npm_|PARLEY_|LIVEKIT_|VITEST|NODE_(ENV|OPTIONS)|INIT_CWD|REDIS_|TEST$)/.test(name),
  );
  return Object.fromEntries(kept);
}
