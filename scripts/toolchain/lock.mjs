// Plain JavaScript because bootstrap.mjs needs it on a Node that doesn't run TypeScript.
import { randomUUID } from 'node:crypto';
import { link, mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { setTimeout as wait } from 'node:timers/promises';

const pollMs = 200;
const breakingPollMs = 5;
const breakingLongMs = 10_000;

/**
 * Runs `work` while holding `file` as a lock against other processes. A lock whose process is gone is broken.
 * `onWait(pid)` is called once when another live process holds it.
 */
export async function withLock(file, work, onWait = () => {}) {
  let told = false;
  for (;;) {
    const held = await tryLock(file);
    if ('release' in held) {
      try {
        return await work();
      } finally {
        await held.release();
      }
    }
    if (!told) onWait(held.holder);
    told = true;
    await wait(pollMs);
  }
}

/** Takes the lock, or tells which process holds it. */
export async function tryLock(file) {
  const started = await startOf(process.pid);
  const mine = `${JSON.stringify({ pid: process.pid, started, host: hostname(), id: randomUUID() })}\n`;
  while (!(await take(file, mine))) {
    const held = await contentOf(file);
    if (held === undefined) continue;
    if (!(await isStale(held))) return { holder: JSON.parse(held).pid };
    await breakLock(file, held);
  }
  return { release: () => release(file, mine) };
}

async function release(file, mine) {
  if ((await contentOf(file)) === mine) await rm(file, { force: true });
}

/** A link appears with its content in one step, so nobody ever reads a half-written lock. */
async function take(file, mine) {
  const draft = `${file}.${randomUUID()}`;
  await writeFile(draft, mine);
  try {
    await link(draft, file);
    return true;
  } catch (error) {
    if (error.code === 'EEXIST') return false;
    throw error;
  } finally {
    await rm(draft, { force: true });
  }
}

/**
 * Several may have judged the same lock to be stale, and the first to break it may hold a new one already. So only one
 * breaks at a time, and looks again before it does: a stale lock can't become a live one without being broken first.
 */
async function breakLock(file, judged) {
  const breaking = `${file}.breaking`;
  if (!(await makeFolder(breaking))) {
    await wait(breakingPollMs);
    return;
  }
  try {
    if ((await contentOf(file)) === judged) await rm(file, { force: true });
  } finally {
    await rm(breaking, { recursive: true, force: true });
  }
}

async function makeFolder(folder) {
  try {
    await mkdir(folder);
    return true;
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
  }
  // Its maker was killed in the millisecond that breaking takes.
  const made = await stat(folder).catch(() => undefined);
  if (made && Date.now() - made.mtimeMs > breakingLongMs) await rm(folder, { recursive: true, force: true });
  return false;
}

async function isStale(content) {
  const { pid, started, host } = parse(content);
  if (pid === undefined) return true;
  if (host !== hostname()) return false;
  try {
    process.kill(pid, 0);
  } catch (error) {
    return error.code !== 'EPERM';
  }
  // The pid may belong to somebody else by now.
  return started !== (await startOf(pid));
}

function parse(content) {
  try {
    return JSON.parse(content);
  } catch {
    return {};
  }
}

/** When the process started, in ticks since the machine did; null where /proc doesn't tell. */
async function startOf(pid) {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
  return stat?.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? null;
}

async function contentOf(file) {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  }
}
