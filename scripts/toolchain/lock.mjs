// Plain JavaScript because bootstrap.mjs needs it on a Node that doesn't run TypeScript.
import { randomUUID } from 'node:crypto';
import { link, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { setTimeout as wait } from 'node:timers/promises';

const pollMs = 200;

/**
 * Runs `work` while holding `file` as a lock against other processes. A lock whose process is gone is broken.
 * `onWait(pid)` is called once when another live process holds it.
 */
export async function withLock(file, work, onWait = () => {}) {
  const mine = `${JSON.stringify({ pid: process.pid, host: hostname(), id: randomUUID() })}\n`;
  await acquire(file, mine, onWait);
  try {
    return await work();
  } finally {
    if ((await contentOf(file)) === mine) await rm(file, { force: true });
  }
}

async function acquire(file, mine, onWait) {
  let waited = false;
  while (!(await take(file, mine))) {
    const held = await contentOf(file);
    if (held === undefined) continue;
    if (isStale(held)) {
      await breakLock(file, held);
      continue;
    }
    if (!waited) onWait(JSON.parse(held).pid);
    waited = true;
    await wait(pollMs);
  }
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

/** Takes the file away first and looks at it then: two processes may have judged the same lock to be stale. */
async function breakLock(file, judged) {
  const aside = `${file}.${randomUUID()}`;
  try {
    await rename(file, aside);
  } catch (error) {
    if (error.code === 'ENOENT') return;
    throw error;
  }
  if ((await contentOf(aside)) !== judged) await link(aside, file).catch(() => {});
  await rm(aside, { force: true });
}

function isStale(content) {
  try {
    const { pid, host } = JSON.parse(content);
    if (host !== hostname()) return false;
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return error.code !== 'EPERM';
  }
}

async function contentOf(file) {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  }
}
