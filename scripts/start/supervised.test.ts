import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { bestEffort } from '../../services/process/best-effort.ts';
import { type Running, Supervised } from './supervised.ts';

let folder: string;
let lines: string[];
let opened: FakeProcess[];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parley-supervised-'));
  lines = [];
  opened = [];
});

afterEach(() => rm(folder, { recursive: true }));

/** This process's own pid stands in for a child's, so that the record can be written. */
class FakeProcess implements Running {
  readonly pid = process.pid;
  ready: Promise<void> = Promise.resolve();
  readonly #exit = Promise.withResolvers<void>();
  readonly exited = this.#exit.promise;
  stops = 0;

  die(): void {
    this.#exit.resolve();
  }

  async stop(): Promise<void> {
    this.stops += 1;
    this.die();
  }

  kill = () => this.stop();
}

function supervised(open: () => Running = () => new FakeProcess()): Supervised {
  return new Supervised({
    name: 'The thing',
    recordFile: join(folder, 'thing.json'),
    say: (line) => lines.push(line),
    pausesMs: [0],
    open: () => {
      const process = open();
      if (process instanceof FakeProcess) opened.push(process);
      return process;
    },
  });
}

const said = (text: string) => expect.poll(() => lines.join('\n'), { timeout: 10_000 }).toContain(text);

test('a process that dies is started again, and that is said', async () => {
  const thing = supervised();
  await thing.start();
  opened[0]?.die();
  await said('The thing ended unexpectedly; starting it again in 0 s.\nThe thing is back.');
  expect(opened).toHaveLength(2);
  await thing.stop();
  expect(opened[1]?.stops).toBe(1);
  expect(await readdir(folder)).toEqual([]);
});

test('a process that is stopped is not started again', async () => {
  const thing = supervised();
  await thing.start();
  await thing.stop();
  expect(opened).toHaveLength(1);
  expect(lines).toEqual([]);
});

test('a restart that fails is said and tried again', async () => {
  let attempt = 0;
  const thing = supervised(() => {
    attempt += 1;
    if (attempt === 2) throw new Error('the port is taken');
    return new FakeProcess();
  });
  await thing.start();
  opened[0]?.die();
  await said("The thing can't be started: the port is taken");
  await said('The thing is back.');
  await thing.stop();
});

test('a first start that fails is thrown, and nothing goes on', async () => {
  const failing = new FakeProcess();
  failing.ready = Promise.reject(new Error('not ready'));
  void bestEffort('the start is asked below', failing.ready);
  const thing = supervised(() => failing);
  await expect(thing.start()).rejects.toThrow('not ready');
  expect(failing.stops).toBe(1);
  await thing.stop();
  expect(opened).toHaveLength(1);
});
