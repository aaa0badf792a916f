import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { pulumiFolder } from '../../../scripts/toolchain/pulumi.ts';

const run = promisify(execFile);

/** Pulumi's own folders of a test: its state, its home, and the made-up account of the AWS stand-in. */
export interface PulumiHome extends AsyncDisposable {
  /** The folder with `bin/pulumi`. */
  readonly installation: string;
  readonly folder: string;
  readonly env: Record<string, string>;
}

const standIns = join(import.meta.dirname, 'bin');

/** The real engine, with the stand-ins of this folder as its providers and its language host. */
export async function openPulumi(further: Record<string, string> = {}): Promise<PulumiHome> {
  const installation = await pulumiFolder((line) => process.stderr.write(`${line}\n`));
  const folder = await mkdtemp(join(tmpdir(), 'parley-pulumi-'));
  const state = join(folder, 'state');
  await mkdir(state);
  const path = [standIns, dirname(process.execPath), join(installation, 'bin'), process.env.PATH ?? ''];
  return {
    installation,
    folder,
    env: {
      PATH: path.join(':'),
      HOME: folder,
      PULUMI_HOME: join(folder, 'home'),
      PULUMI_BACKEND_URL: `file://${state}`,
      PULUMI_CONFIG_PASSPHRASE: 'for tests only',
      PULUMI_SKIP_UPDATE_CHECK: 'true',
      PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION: 'true',
      STAND_IN_AWS_ACCOUNT: join(folder, 'aws'),
      ...further,
    },
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}

export interface StateResource {
  urn: string;
  type: string;
  id?: string;
  inputs: Record<string, unknown>;
  outputs: Record<string, unknown>;
}

/** A stack as an operator works with it: commands in a shell. */
export class ShellStack {
  readonly #home: PulumiHome;
  readonly #project: string;
  readonly #name: string;
  readonly #configFile: string;

  /** @param options.project the folder with Pulumi.yaml */
  constructor(home: PulumiHome, options: { project: string; name: string; configFile: string }) {
    this.#home = home;
    this.#project = options.project;
    this.#name = options.name;
    this.#configFile = options.configFile;
  }

  init(): Promise<string> {
    return this.#pulumi(['stack', 'init', this.#name]);
  }

  set(key: string, value: string, { secret = false } = {}): Promise<string> {
    const kind = secret ? '--secret' : '--plaintext';
    return this.#pulumi(['config', 'set', key, value, kind, ...this.#which()]);
  }

  preview(...flags: string[]): Promise<string> {
    return this.#pulumi(['preview', ...this.#which(), ...flags]);
  }

  up(...flags: string[]): Promise<string> {
    return this.#pulumi(['up', '--yes', '--skip-preview', ...this.#which(), ...flags]);
  }

  refresh(...flags: string[]): Promise<string> {
    return this.#pulumi(['refresh', '--yes', '--skip-preview', ...this.#which(), ...flags]);
  }

  destroy(): Promise<string> {
    return this.#pulumi(['destroy', '--yes', '--skip-preview', ...this.#which()]);
  }

  async outputs(): Promise<Record<string, unknown>> {
    const shown = await this.#pulumi(['stack', 'output', '--json', '--show-secrets', '--stack', this.#name]);
    return JSON.parse(shown) as Record<string, unknown>;
  }

  async resources(): Promise<StateResource[]> {
    const exported = await this.#pulumi(['stack', 'export', '--show-secrets', '--stack', this.#name]);
    return (JSON.parse(exported) as { deployment: { resources?: StateResource[] } }).deployment.resources ?? [];
  }

  #which(): string[] {
    return ['--stack', this.#name, '--config-file', this.#configFile];
  }

  /** What the command wrote. @throws with all of its output when it fails. */
  async #pulumi(args: readonly string[]): Promise<string> {
    const command = join(this.#home.installation, 'bin', 'pulumi');
    const options = { cwd: this.#project, env: this.#home.env, maxBuffer: 64 * 1024 * 1024 };
    try {
      return (await run(command, [...args, '--non-interactive', '--color', 'never'], options)).stdout;
    } catch (error) {
      const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
      throw new Error(`pulumi ${args.join(' ')} failed:\n${stdout}\n${stderr}`, { cause: error });
    }
  }
}
