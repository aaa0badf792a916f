import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type LoadResult, loadAgents } from './load.ts';

const files = ['support.yaml', 'tools/look_up_order.yaml', 'knowledge/support.md', 'scenarios/support.yaml'] as const;

let folder: string;
const originals = new Map<string, Buffer>();

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parley-bytes-'));
  for (const file of files) {
    await mkdir(dirname(join(folder, file)), { recursive: true });
    await cp(join('agents', file), join(folder, file));
    originals.set(file, await readFile(join(folder, file)));
  }
});

afterAll(() => rm(folder, { recursive: true, force: true }));

/** What the demo agent's folder gives with other bytes in one file. */
async function loadWith(file: string, bytes: Uint8Array): Promise<LoadResult> {
  await writeFile(join(folder, file), bytes);
  try {
    return await loadAgents(folder, { environment: 'development' });
  } finally {
    await writeFile(join(folder, file), originals.get(file) ?? '');
  }
}

/** An agent or an error, and every fault at a place that its file has. */
function expectSense({ agents, faults }: LoadResult, file: string, bytes: Uint8Array): void {
  const errors = faults.filter(({ severity }) => severity === 'error');
  expect(agents.length === 1 || errors.length > 0).toBe(true);
  const isBroken = errors.some((fault) => fault.file === file);
  if (file === 'support.yaml') expect(agents).toHaveLength(isBroken ? 0 : 1);
  for (const fault of faults) {
    expect(fault.message).toMatch(/^\S.*[.?]$/);
    const text = fault.file === file ? Buffer.from(bytes).toString('utf8') : String(originals.get(fault.file));
    const lines = text.split('\n');
    expect(fault.line).toBeGreaterThan(0);
    expect(fault.line).toBeLessThanOrEqual(lines.length);
    expect(fault.column).toBeGreaterThan(0);
    expect(fault.column).toBeLessThanOrEqual((lines[fault.line - 1]?.length ?? 0) + 1);
  }
}

const anyBytes = fc.uint8Array({ maxLength: 300 });

test('any bytes in any file give an agent or an error with its place', async () => {
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...files), anyBytes, async (file, bytes) => {
      expectSense(await loadWith(file, bytes), file, bytes);
    }),
    { numRuns: 60 },
  );
});

/** What a slip, a merge that went wrong or a broken disk does: pieces that are gone, doubled, moved or replaced. */
const damage = fc.record({
  kind: fc.constantFrom('cut', 'double', 'insert', 'replace', 'end'),
  from: fc.double({ min: 0, max: 1, noNaN: true }),
  length: fc.integer({ min: 1, max: 40 }),
  bytes: fc.oneof(
    fc.uint8Array({ minLength: 1, maxLength: 6 }),
    fc
      .constantFrom(
        ':',
        '\n',
        '- ',
        '  ',
        '\t',
        '{',
        ']',
        '"',
        "'",
        '#',
        '&a',
        '*a',
        '|',
        '!x',
        '\r\n',
        '---\n',
        '<<<<<<< HEAD\n',
      )
      .map((text) => new TextEncoder().encode(text)),
  ),
});

function damaged(
  original: Buffer,
  damages: readonly { kind: string; from: number; length: number; bytes: Uint8Array }[],
) {
  let bytes = original;
  for (const { kind, from, length, bytes: added } of damages) {
    const start = Math.floor(from * bytes.length);
    const [before, piece, after] = [
      bytes.subarray(0, start),
      bytes.subarray(start, start + length),
      bytes.subarray(start + length),
    ];
    if (kind === 'cut') bytes = Buffer.concat([before, after]);
    if (kind === 'double') bytes = Buffer.concat([before, piece, piece, after]);
    if (kind === 'insert') bytes = Buffer.concat([before, added, piece, after]);
    if (kind === 'replace') bytes = Buffer.concat([before, added, after]);
    if (kind === 'end') bytes = Buffer.from(before);
  }
  return bytes;
}

test('a file of the demo that was damaged anywhere gives an agent or an error with its place', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...files),
      fc.array(damage, { minLength: 1, maxLength: 4 }),
      async (file, damages) => {
        const bytes = damaged(originals.get(file) ?? Buffer.alloc(0), damages);
        expectSense(await loadWith(file, bytes), file, bytes);
      },
    ),
    { numRuns: 150 },
  );
});
