// Plain JavaScript: see bootstrap.mjs.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { withLock } from './lock.mjs';
import { ourNode } from './our-node.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const modules = join(root, 'node_modules');
const marker = join(modules, '.parley-lock-hash');
const outputKept = 20_000;
const noNodeSentence = `There is no Node for ${process.platform} on ${process.arch} among the packages: use Linux on x64 or arm64.`;
const endingSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'];

export class Interrupted extends Error {
  constructor(signal) {
    super('The installation was stopped; the next command begins it anew.');
    this.signal = signal;
  }
}

/** Brings node_modules to what package-lock.json says. Throws an error whose message is one sentence that says what to do. */
export async function install() {
  const hash = await lockHash();
  if (await isCurrent(hash)) return;
  try {
    await mkdir(join(root, '.parley'), { recursive: true });
    const waiting = (pid) => console.error(`Process ${pid} is installing the dependencies; waiting for it.`);
    await withLock(join(root, '.parley', 'install.lock'), () => installOnce(hash), waiting);
  } catch (error) {
    if (error instanceof Interrupted) throw error;
    throw new Error(storageSentence(error.code) ?? error.message, { cause: error });
  }
}

async function installOnce(hash) {
  if (await isCurrent(hash)) return;
  if (!existsSync(ourNode) || !(await installedByHand())) await npmCi();
  if (!existsSync(ourNode)) throw new Error(noNodeSentence);
  await writeFile(marker, hash);
}

/** Of the platform too: a folder shared with a container of another one holds the wrong binaries. */
async function lockHash() {
  const lock = await readFile(join(root, 'package-lock.json'));
  return createHash('sha256').update(`${process.platform}-${process.arch}\n`).update(lock).digest('hex');
}

async function isCurrent(hash) {
  const stored = await readFile(marker, 'utf8').catch(() => '');
  return stored === hash && existsSync(ourNode);
}

/** Whether somebody's own `npm ci` or `npm install` left exactly the locked versions: then there is nothing to do. */
async function installedByHand() {
  const [wanted, found] = await Promise.all([
    packagesOf(join(root, 'package-lock.json')),
    packagesOf(join(modules, '.package-lock.json')),
  ]);
  if (!wanted || !found) return false;
  return Object.entries(wanted)
    .filter(([path]) => path !== '')
    .every(([path, entry]) => (found[path] ? found[path].version === entry.version : entry.optional === true));
}

async function packagesOf(file) {
  try {
    return JSON.parse(await readFile(file, 'utf8')).packages;
  } catch {
    return undefined;
  }
}

async function npmCi() {
  const started = Date.now();
  console.error('Installing the dependencies (npm ci, about 30 s) …');
  // Scripts of packages may fetch what no lock names, as @pulumi/kubernetes does where there is a pulumi; nothing here needs one.
  const pinned = ['--include=dev', '--include=optional', '--ignore-scripts'];
  await npm(['ci', ...pinned, '--no-audit', '--no-fund', '--loglevel=error']);
  console.error(`Installed in ${Math.round((Date.now() - started) / 1000)} s.`);
}

async function npm(args) {
  // npm tells its scripts where it is; outside of it, it is on PATH.
  const cli = process.env.npm_execpath;
  const command = cli?.endsWith('.js') ? [process.execPath, cli] : ['npm'];
  const result = await run(command[0], [...command.slice(1), ...args], root);
  if (result.code !== 0) throw new Error(sentenceFor(result.output));
}

/** Resolves when it has ended. Rejects with Interrupted after a signal to us; then it is gone with all that it started. */
function run(file, args, cwd) {
  return new Promise((resolve, reject) => {
    let output = '';
    // In a group of its own: npm goes on after a Ctrl-C, and would write into the folder beside the next installation.
    const child = spawn(file, args, { cwd, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
    let stoppedBy;
    const stop = (signal) => {
      stoppedBy = signal;
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
    };
    for (const signal of endingSignals) process.once(signal, stop);
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk) => {
        output = (output + chunk).slice(-outputKept);
      });
    }
    const over = (result) => {
      for (const signal of endingSignals) process.off(signal, stop);
      if (stoppedBy) reject(new Interrupted(stoppedBy));
      else resolve(result);
    };
    child.on('error', (error) => over({ code: 1, output: `${output}\n${error.message}` }));
    child.on('close', (code) => over({ code, output }));
  });
}

function sentenceFor(output) {
  const code = ['ENOSPC', 'EDQUOT', 'EACCES', 'EPERM', 'EROFS'].find((name) => output.includes(name));
  const storage = storageSentence(code);
  if (storage) return storage;
  if (/ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|ERR_SOCKET_TIMEOUT/.test(output)) {
    return "The npm registry can't be reached: connect to the internet (or set npm's registry or proxy) and try again.";
  }
  if (/CERT|certificate/.test(output)) {
    return "The npm registry's certificate is not trusted: name your network's authority in NODE_EXTRA_CA_CERTS and try again.";
  }
  if (/EUSAGE/.test(output)) return 'package.json and package-lock.json disagree: run "npm install" and try again.';
  const lines = output.trim().split('\n').slice(0, 4).join(' ');
  return `The dependencies could not be installed; run "npm ci" to see why: ${lines}`;
}

function storageSentence(code) {
  if (code === 'ENOSPC' || code === 'EDQUOT') return `The disk is full: free about 1 GB for ${root} and try again.`;
  if (code === 'EACCES' || code === 'EPERM') {
    return `${root} or npm's cache can't be written: give your user write access to it and try again.`;
  }
  if (code === 'EROFS') return `${root} is on a read-only file system: clone the repository to another folder.`;
  return undefined;
}
