import { execFile } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { pulumiFolder } from '../../../scripts/toolchain/pulumi.ts';
import { type RunningPulumi, runPulumi } from './running-pulumi.ts';

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
      // Programs and stand-ins are started for every command; loading them took a fifth of its time.
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? join(folder, 'compiled'),
      STAND_IN_AWS_ACCOUNT: join(folder, 'aws'),
      ...further,
    },
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}

const root = join(import.meta.dirname, '../../..');

/**
 * The repository as an operator has it before them, in a folder where stacks may leave their files. What is in it are links:
 * programs run from where they are.
 */
export async function openProject(home: PulumiHome): Promise<string> {
  const folder = await mkdtemp(join(home.folder, 'project-'));
  const entries = ['Pulumi.yaml', 'package.json', 'agents', 'infra', 'schemas', 'services', 'node_modules'];
  await Promise.all(entries.map((name) => symlink(join(root, name), join(folder, name))));
  return folder;
}

/** As an operator begins a stack: with a copy of an example. */
export async function useExample(project: string, example: string, name = example): Promise<void> {
  await copyFile(join(root, 'examples', `Pulumi.${example}.yaml`), join(project, `Pulumi.${name}.yaml`));
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

  /** @param project the folder with Pulumi.yaml */
  constructor(home: PulumiHome, project: string, name: string) {
    this.#home = home;
    this.#project = project;
    this.#name = name;
  }

  init(): Promise<string> {
    return this.#pulumi(['stack', 'init', this.#name]);
  }

  /** @param path such as `parley:capacity.text` */
  set(path: string, value: string): Promise<string> {
    return this.#pulumi(['config', 'set', '--path', path, value, '--plaintext', ...this.#which()]);
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

  /** As if an up had been killed after it had made the resource. */
  forget(urn: string): Promise<string> {
    return this.#pulumi(['state', 'delete', urn, '--yes', '--force', ...this.#which()]);
  }

  /** Without waiting for it. */
  begin(command: 'up'): RunningPulumi {
    const args = [command, '--yes', '--skip-preview', ...this.#which()];
    return runPulumi(this.#command, args, { cwd: this.#project, env: this.#home.env });
  }

  /** After a command that was killed: its lock is left behind. */
  cancel(): Promise<string> {
    return this.#pulumi(['cancel', '--yes', ...this.#which()]);
  }

  destroy(): Promise<string> {
    return this.#pulumi(['destroy', '--yes', '--skip-preview', ...this.#which()]);
  }

  remove(): Promise<string> {
    return this.#pulumi(['stack', 'rm', '--yes', ...this.#which()]);
  }

  async outputs(): Promise<Record<string, unknown>> {
    const shown = await this.#pulumi(['stack', 'output', '--json', '--show-secrets', ...this.#which()]);
    return JSON.parse(shown) as Record<string, unknown>;
  }

  async resources(): Promise<StateResource[]> {
    const exported = await this.#pulumi(['stack', 'export', '--show-secrets', ...this.#which()]);
    return (JSON.parse(exported) as { deployment: { resources?: StateResource[] } }).deployment.resources ?? [];
  }

  get #command(): string {
    return join(this.#home.installation, 'bin', 'pulumi');
  }

  #which(): string[] {
    return ['--stack', this.#name];
  }

  /** What the command wrote. @throws with all of its output when it fails. */
  async #pulumi(args: readonly string[]): Promise<string> {
    const options = { cwd: this.#project, env: this.#home.env, maxBuffer: 64 * 1024 * 1024 };
    try {
      return (await run(this.#command, [...args, '--non-interactive', '--color', 'never'], options)).stdout;
    } catch (error) {
      const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
      throw new Error(`pulumi ${args.join(' ')} failed:\n${stdout}\n${stderr}`, { cause: error });
    }
  }
}
