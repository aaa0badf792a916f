import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { promisify } from 'node:util';
import { Fault, storageFaultInOutput, systemCode } from './fault.ts';

const run = promisify(execFile);

export type Progress = (line: string) => void;

export interface GoBuild {
  /** For progress lines and errors: "the room server 1.13.5". */
  what: string;
  /** What there is to do for somebody without Go. */
  otherwise?: string;
  /** The folder with the go.mod and go.sum that pin what is built. */
  goModule: string;
  packages: readonly string[];
  /** A file for one package; a folder, with a slash at its end, for several. */
  target: string;
  /** Variables of the program that are set at the build, such as its version. */
  variables?: Readonly<Record<string, string>>;
  /** How many modules have to be fetched, about. */
  modules: number;
  /** It is linked with libraries in C, which the machine must have. */
  cgo?: boolean;
  env: NodeJS.ProcessEnv;
  progress: Progress;
  /** Gives up a build that is under way. */
  signal?: AbortSignal | undefined;
}

/** Builds programs out of Go modules. Throws a Fault that says what to do when it can't. */
export async function goBuild(build: GoBuild): Promise<void> {
  const { what, goModule, packages, target, env, progress, signal } = build;
  await requireGo(build);
  progress(`Building ${what} from source …`);
  const started = Date.now();
  const flags = ['-mod=readonly', '-trimpath', '-buildvcs=false', `-ldflags=${linkerFlags(build.variables ?? {})}`];
  const go = spawn('go', ['build', ...flags, '-o', target, ...packages], {
    cwd: goModule,
    env: goEnvironment(env, build.cgo),
    stdio: ['ignore', 'ignore', 'pipe'],
    ...(signal && { signal }),
  });
  go.on('error', () => undefined);
  const output = collectOutput(go.stderr, build);
  const [code, stoppedBy] = (await once(go, 'close')) as [number | null, NodeJS.Signals | null];
  if (stoppedBy && !signal?.aborted)
    throw new Fault(
      `${what} is not built: Go was stopped by ${stoppedBy}, as it is where memory is short. Start again.`,
    );
  if (code !== 0) throw buildFault(output(), build);
  progress(`Built ${what} in ${Math.round((Date.now() - started) / 1000)} s.`);
}

/** Where the module cache holds a module of this go.mod, fetched and checked against its go.sum. */
export async function goModuleFolder(
  what: string,
  goModule: string,
  path: string,
  env: NodeJS.ProcessEnv,
): Promise<string> {
  const source = { what, env, target: 'the Go module cache' };
  await requireGo(source);
  try {
    const { stdout } = await run('go', ['mod', 'download', '-json', path], { cwd: goModule, env: goEnvironment(env) });
    return (JSON.parse(stdout) as { Dir: string }).Dir;
  } catch (error) {
    throw buildFault(`${(error as { stdout?: string }).stdout}${(error as { stderr?: string }).stderr}`, source);
  }
}

/** The build must not depend on what the machine's owner has set for other projects. */
const goEnvironment = (env: NodeJS.ProcessEnv, cgo = false): NodeJS.ProcessEnv => ({
  ...env,
  GOFLAGS: '',
  GOWORK: 'off',
  CGO_ENABLED: cgo ? '1' : '0',
});

/** -s -w leave the debugging tables out: 50 MB instead of 75 for the room server. */
const linkerFlags = (variables: Readonly<Record<string, string>>) =>
  ['-s', '-w', ...Object.entries(variables).map(([name, value]) => `-X ${name}=${value}`)].join(' ');

type Subject = Pick<GoBuild, 'what' | 'otherwise' | 'env' | 'target'>;

async function requireGo({ what, otherwise, env }: Subject): Promise<void> {
  try {
    await run('go', ['version'], { env });
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') throw error;
    const choices = [...(otherwise ? [otherwise] : []), 'install Go 1.26 and start again to build it'];
    throw new Fault(`There is no program for this machine of ${what}: ${choices.join(', or ')}.`);
  }
}

const outputKept = 8_000;
const downloadsPerLine = 50;

/** Counts the modules that Go downloads, and keeps the end of its output for the error. */
function collectOutput(stream: NodeJS.ReadableStream, { progress, modules }: GoBuild): () => string {
  let kept = '';
  let downloads = 0;
  stream.on('data', (chunk: Buffer) => {
    kept = (kept + chunk).slice(-outputKept);
    const more = String(chunk).match(/^go: downloading/gm)?.length ?? 0;
    const told = Math.floor(downloads / downloadsPerLine);
    downloads += more;
    if (Math.floor(downloads / downloadsPerLine) > told) {
      progress(`… ${downloads} of about ${modules} modules fetched`);
    }
  });
  return () => kept;
}

function buildFault(output: string, { what, otherwise, target }: Subject): Fault {
  const storage = storageFaultInOutput(output, target);
  if (storage) return storage;
  if (/requires go >=|toolchain not available/.test(output)) {
    return new Fault(`Your Go is too old to build ${what}: install Go 1.26 or newer and start again.`);
  }
  if (/dial tcp|no such host|i\/o timeout|connection refused|TLS handshake/.test(output)) {
    const instead = otherwise ? `, or ${otherwise}` : '';
    return new Fault(`The Go module proxy can't be reached: connect to the internet or set GOPROXY${instead}.`);
  }
  const reason = output.trim().split('\n').slice(-3).join(' ');
  return new Fault(`${what} could not be built: ${reason}`.replace(/^./, (first) => first.toUpperCase()));
}
