import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freeTcpPort, freeUdpPort, isTcpPortFree } from '../../../scripts/toolchain/ports.ts';
import { exitedWithin } from '../../../scripts/toolchain/processes.ts';
import { eventually } from '../../support/eventually.ts';
import type { Measured, Row, RowOptions } from '../row.ts';
import { figureOf } from '../statistics.ts';
import { type People, startPeople } from './people.ts';

const root = new URL('../../../', import.meta.url).pathname;
const agents = new URL('../agents/', import.meta.url).pathname;
const startWithinMs = 120_000;
const stopWithinMs = 15_000;
/** The launcher gives its services consecutive internal ports. */
const internalPorts = 10;

/** From the command to the first answered text, with everything downloaded and built by an earlier start. */
export const start: Row = {
  name: 'start',
  title: '`npm start` with warm caches: from the command to the first reply',
  against: 'a fixed limit',
  limitMinutes: 20,
  run: async ({ pairs, say }: RowOptions): Promise<Measured> => {
    await using people = await startPeople();
    // Fills the caches, which a first start on a machine needs minutes for.
    await inFreshFolder((folder) => startAndAsk(people, folder));
    const rounds: { fresh: number; again: number }[] = [];
    for (let round = 0; round < pairs; round += 1) {
      const times = await inFreshFolder(async (folder) => ({
        fresh: await startAndAsk(people, folder),
        again: await startAndAsk(people, folder),
      }));
      rounds.push(times);
      say(`empty data folder ${times.fresh.toFixed(1)} s, again ${times.again.toFixed(1)} s`);
    }
    const target = { text: '≤ 10 s', atMost: 10 };
    return {
      figures: [
        figureOf(
          { name: 'with an empty data folder', unit: 's', target },
          rounds.map(({ fresh }) => fresh),
        ),
        figureOf(
          { name: 'again, with its data', unit: 's', target },
          rounds.map(({ again }) => again),
        ),
      ],
      notes: ['Dependencies, PostgreSQL and the room server are there; the agents are the benchmarks’ own.'],
    };
  },
};

async function inFreshFolder<Result>(work: (folder: string) => Promise<Result>): Promise<Result> {
  const folder = await mkdtemp(join(tmpdir(), 'parley-bench-start-'));
  return work(folder).finally(() => rm(folder, { recursive: true, force: true }));
}

/** Seconds. */
async function startAndAsk(people: People, folder: string): Promise<number> {
  const data = join(folder, 'data');
  const connectionFile = join(data, 'connection.json');
  await rm(connectionFile, { force: true });
  const flags = await freePorts();
  const began = performance.now();
  const launcher = spawn('npm', ['start', '--', '--data', data, '--agents', agents, ...flags], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
    // As in a terminal, where Ctrl-C reaches the whole group.
    detached: true,
  });
  const output = collected(launcher);
  const endWithUs = () => void (launcher.pid && launcher.exitCode === null && process.kill(-launcher.pid, 'SIGINT'));
  process.once('exit', endWithUs);
  try {
    const connection = await eventually(
      'npm start writes connection.json',
      async () => {
        if (launcher.exitCode !== null) throw new Error(`it ended: ${output()}`);
        return JSON.parse(await readFile(connectionFile, 'utf8')) as Connection;
      },
      { withinMs: startWithinMs },
    );
    const { baseUrl } = connection;
    const apiKey = connection.agents.bench?.apiKey ?? '';
    const asked = performance.now();
    const [first] = await people.call('firstTexts', {
      door: { kind: 'parley', baseUrl, apiKey },
      conversations: 1,
      atOnce: 1,
      restMs: 0,
      write: 'at once',
    });
    if (first?.answeredMs === undefined) throw new Error(`the first text was not answered: ${output()}`);
    return (asked - began + first.answeredMs) / 1000;
  } finally {
    process.off('exit', endWithUs);
    await stop(launcher);
  }
}

interface Connection {
  baseUrl: string;
  agents: Record<string, { apiKey: string }>;
}

function collected(child: ChildProcess): () => string {
  let text = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk: Buffer) => {
      text = (text + chunk).slice(-4_000);
    });
  return () => text;
}

async function stop(launcher: ChildProcess): Promise<void> {
  const { pid } = launcher;
  if (pid === undefined || launcher.exitCode !== null) return;
  process.kill(-pid, 'SIGINT');
  if (await exitedWithin(launcher, stopWithinMs)) return;
  const exited = once(launcher, 'exit');
  process.kill(-pid, 'SIGKILL');
  await exited;
}

async function freePorts(): Promise<string[]> {
  const ports = {
    port: await freeTcpPort(),
    'internal-port': await freeRange(internalPorts),
    'demo-tools-port': await freeTcpPort(),
    'postgres-port': await freeTcpPort(),
    'room-port': await freeTcpPort(),
    'room-udp-port': await freeUdpPort(),
  };
  return Object.entries(ports).flatMap(([flag, port]) => [`--${flag}`, String(port)]);
}

/** The first of so many consecutive free ports. */
async function freeRange(count: number): Promise<number> {
  for (;;) {
    const from = await freeTcpPort();
    const free = await Promise.all(Array.from({ length: count }, (_, index) => isTcpPortFree(from + index)));
    if (free.every(Boolean)) return from;
  }
}
