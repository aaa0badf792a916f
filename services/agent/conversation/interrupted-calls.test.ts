import { describe, expect, test } from 'vitest';
import type { CompiledTool } from '../../agent-files/definition/compiled.ts';
import type { Database } from '../../store/database.ts';
import type { Query } from '../../store/sql.ts';
import type { ToolCallRow } from '../../store/tables/tool-calls.ts';
import { failed, unknown } from '../tools/result.ts';
import { settleInterruptedCalls } from './interrupted-calls.ts';
import type { Loaded } from './loading.ts';
import { type RunTool, ToolFailure } from './tool-guard.ts';

const book: CompiledTool = {
  ...{ name: 'book', description: 'Books a table.', parameters: { type: 'object' } },
  ...{ timeoutMs: 50, idempotent: true },
};

/** Of a host that died while `book` ran: what its successor does, what it goes on with and what is stored. */
async function takenOver(tool: CompiledTool, run: RunTool) {
  const stored: unknown[][] = [];
  const ran: string[] = [];
  const db = {
    query: async ({ values }: Query) => {
      stored.push(values);
      return [{ done: true }];
    },
  } as unknown as Database;
  const call = { id: 'call_1', name: 'book', arguments: {}, status: 'started', result: null } as unknown as ToolCallRow;
  const loaded = {
    session: { tenant_id: 'acme' },
    definition: { tools: [tool] },
    messages: [],
    toolCalls: [call],
  } as unknown as Loaded;
  const { toolCalls } = await settleInterruptedCalls(db, loaded, (...given) => {
    ran.push(given[2].id);
    return run(...given);
  });
  return { ran, stored, settled: toolCalls.map(({ status, result }) => ({ status, result })) };
}

const throwing = (failure: Error) => async () => {
  throw failure;
};

describe('a call that was running when its host died', () => {
  test('is not made again where that could do it twice, and nobody knows what came of it', async () => {
    const { ran, settled } = await takenOver({ ...book, idempotent: false }, async () => 'booked');
    expect(ran).toEqual([]);
    expect(settled).toMatchObject([{ status: 'unknown' }]);
  });

  test.for([
    ['with an answer', async () => 'R1', 'ok', '"R1"'],
    ['that is refused', throwing(new ToolFailure(failed('It is taken.'))), 'failed', 'It is taken.'],
    [
      'whose connection is lost',
      throwing(new ToolFailure(unknown('It was lost.'))),
      'unknown',
      'It was lost. Whether it had an effect is not known.',
    ],
    [
      'that nobody answers in time',
      () => new Promise(() => undefined),
      'unknown',
      'book did not answer within 0.05 seconds and was given up. Whether it had an effect is not known.',
    ],
    [
      'that breaks',
      throwing(new Error('at Object.<anonymous>')),
      'unknown',
      'The tool "book" failed. Whether it had an effect is not known.',
    ],
  ] as [string, RunTool, string, string][])(
    'is made again under its own id where it may be, and one %s is stored as what it came to',
    async ([, run, status, result]) => {
      const { ran, settled, stored } = await takenOver(book, run);
      expect(ran).toEqual(['call_1']);
      expect(settled).toEqual([{ status, result }]);
      expect(stored).toEqual([['acme', 'call_1', status, result]]);
    },
  );
});
