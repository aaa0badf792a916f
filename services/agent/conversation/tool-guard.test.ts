import { llm, voice } from '@livekit/agents';
import { describe, expect, test, vi } from 'vitest';
import type { CompiledTool } from '../../agent-files/definition/compiled.ts';
import { nothingToAdd, type RunTool, ToolFailure, ToolGuard, type ToolLedger, withDeadline } from './tool-guard.ts';

const book: CompiledTool = {
  name: 'book',
  description: 'Books a table.',
  parameters: {
    type: 'object',
    additionalProperties: false,
    required: ['guests'],
    properties: { guests: { type: 'integer', minimum: 1 } },
  },
  timeoutMs: 10_000,
  idempotent: false,
};

type Written =
  | { started: { name: string; args: Record<string, unknown> } }
  | { finished: { status: string; result: string } };

function guarded({
  run = async () => ({ reference: 'R1' }),
  tool = book,
  limits = { toolCallsPerTurn: 100, equalToolCalls: 5 },
  started = async () => true,
}: {
  run?: RunTool;
  tool?: CompiledTool;
  limits?: { toolCallsPerTurn: number; equalToolCalls: number };
  started?: ToolLedger['started'];
} = {}) {
  const written: Written[] = [];
  const ran = vi.fn(run);
  const ledger: ToolLedger = {
    started: async (call) => {
      const owned = await started(call);
      if (owned) written.push({ started: { name: call.name, args: call.args } });
      return owned;
    },
    finished: ({ status, result }) => written.push({ finished: { status, result } }),
  };
  const guard = new ToolGuard(limits, ledger, ran);
  const wrapped = guard.wrap(tool);
  const call = (args: Record<string, unknown> = { guests: 4 }, abortSignal = new AbortController().signal) =>
    wrapped.execute(args as never, { abortSignal } as never) as Promise<unknown>;
  return { call, ran, written, guard };
}

const told = (error: unknown) => (error instanceof llm.ToolError ? error.message : `not for the model: ${error}`);
const refusal = (call: Promise<unknown>) =>
  call.then(
    (result) => `no refusal: ${JSON.stringify(result)}`,
    (error: unknown) => told(error),
  );

describe('a call that the model makes', () => {
  test('is written down before it runs and again when it is done', async () => {
    const order: string[] = [];
    const { call, written } = guarded({
      started: async () => {
        order.push('written');
        return true;
      },
      run: async () => {
        order.push('ran');
        return { reference: 'R1' };
      },
    });
    expect(await call()).toEqual({ reference: 'R1' });
    expect(order).toEqual(['written', 'ran']);
    expect(written).toEqual([
      { started: { name: 'book', args: { guests: 4 } } },
      { finished: { status: 'ok', result: '{"reference":"R1"}' } },
    ]);
  });

  test('runs under the id under which it was written down', async () => {
    const ids: string[] = [];
    const { call, ran } = guarded({
      started: async ({ id }) => {
        ids.push(id);
        return true;
      },
    });
    await call();
    expect(ran.mock.calls.map(([, , { id }]) => id)).toEqual(ids);
  });

  test('with wrong arguments neither runs nor is written down, and the model is told what is wrong', async () => {
    const { call, ran, written } = guarded();
    expect(await refusal(call({ guests: 'four' }))).toMatch(/"guests" must be integer/);
    expect(await refusal(call({}))).toMatch(/"guests" is missing/);
    expect(await refusal(call({ guests: 2, vip: true }))).toMatch(/"vip" is not an argument/);
    expect(ran).not.toHaveBeenCalled();
    expect(written).toEqual([]);
  });

  test('does not run when it could not be written down', async () => {
    const { call, ran } = guarded({
      started: async () => {
        throw new Error('connect ECONNREFUSED 10.0.0.7:5432');
      },
    });
    expect(await refusal(call())).toMatch(/cannot be done at the moment/);
    expect(ran).not.toHaveBeenCalled();
  });

  test('does not run when another host has taken the conversation over', async () => {
    const { call, ran } = guarded({ started: async () => false });
    expect(await refusal(call())).toMatch(/continues elsewhere/);
    expect(ran).not.toHaveBeenCalled();
  });
});

test('a call whose turn is cut while it is written down does not run', async () => {
  const turn = new AbortController();
  const { call, ran, written } = guarded({
    started: async () => {
      turn.abort();
      return true;
    },
  });
  expect(await refusal(call({ guests: 4 }, turn.signal))).toMatch(/interrupted/);
  expect(ran).not.toHaveBeenCalled();
  expect(written.at(-1)).toMatchObject({ finished: { status: 'failed' } });
});

describe('what the model hears of a failure', () => {
  test("the tool's own sentence", async () => {
    const { call, written } = guarded({
      run: async () => {
        throw new ToolFailure('No table is free.');
      },
    });
    expect(await refusal(call())).toBe('No table is free.');
    expect(written.at(-1)).toEqual({ finished: { status: 'failed', result: 'No table is free.' } });
  });

  test('nothing of an error that was not meant for it', async () => {
    const { call, written } = guarded({
      run: async () => {
        throw new Error('password authentication failed for user "shop" at 10.0.0.7');
      },
    });
    const result = 'The tool "book" failed. Whether it had an effect is not known.';
    expect(await refusal(call())).toBe(result);
    expect(written.at(-1)).toEqual({ finished: { status: 'unknown', result } });
    expect(JSON.stringify(written)).not.toContain('10.0.0.7');
  });

  test('a tool that answers nothing in its time is given up, and hears of it', async () => {
    const aborted = Promise.withResolvers<void>();
    const { call, written } = guarded({
      tool: { ...book, timeoutMs: 50 },
      run: (_tool, _args, { signal }) => {
        signal.addEventListener('abort', () => aborted.resolve());
        return new Promise(() => undefined);
      },
    });
    expect(await refusal(call())).toMatch(
      /book did not answer within 0.05 seconds and was given up\. Whether it had an effect is not known/,
    );
    await aborted.promise;
    expect(written.at(-1)).toMatchObject({ finished: { status: 'unknown' } });
  });

  test('a tool whose answer nobody waits for any more is given up at once', async () => {
    const turn = new AbortController();
    const { call, written } = guarded({ run: () => new Promise(() => undefined) });
    const refused = refusal(call({ guests: 1 }, turn.signal));
    await vi.waitFor(() => expect(written).toHaveLength(1));
    turn.abort();
    expect(await refused).toMatch(/interrupted/);
  });

  test('a call that was cut after its work had begun is written down as unknown, and the model is told so', async () => {
    const turn = new AbortController();
    const { call, written } = guarded({ run: () => new Promise(() => undefined) });
    const refused = refusal(call({ guests: 1 }, turn.signal));
    await vi.waitFor(() => expect(written).toHaveLength(1));
    turn.abort();
    const result = 'It was interrupted. Whether it had an effect is not known.';
    expect(await refused).toBe(result);
    expect(written.at(-1)).toEqual({ finished: { status: 'unknown', result } });
  });

  test('a call that only reads is failed when it is cut: it may be made again', async () => {
    const turn = new AbortController();
    const reads = { ...book, http: { method: 'GET' } } as CompiledTool;
    const { call, written } = guarded({ tool: reads, run: () => new Promise(() => undefined) });
    const refused = refusal(call({ guests: 1 }, turn.signal));
    await vi.waitFor(() => expect(written).toHaveLength(1));
    turn.abort();
    expect(await refused).toBe('It was interrupted.');
    expect(written.at(-1)).toMatchObject({ finished: { status: 'failed' } });
  });
});

test.each([
  ['that did nothing', 'failed'],
  ['that nobody knows anything of', 'unknown'],
] as const)('a call %s is written down as %s', async (_, status) => {
  const { call, written } = guarded({
    run: async () => {
      throw new ToolFailure({ status, message: 'It did not answer.' });
    },
  });
  expect(await refusal(call())).toBe('It did not answer.');
  expect(written.at(-1)).toEqual({ finished: { status, result: 'It did not answer.' } });
});

describe('a model that goes in circles', () => {
  test('is stopped after five equal calls in a row, in whatever turns they were', async () => {
    const { call, ran, guard } = guarded();
    for (let i = 0; i < 5; i += 1) {
      guard.newTurn();
      await call();
    }
    guard.newTurn();
    expect(await refusal(call())).toMatch(/this exact call 5 times in a row/);
    expect(await refusal(call())).toMatch(/this exact call 6 times in a row/);
    expect(ran).toHaveBeenCalledTimes(5);
  });

  test.for([{ http: { method: 'GET' } }, { idempotent: true }])(
    'is stopped within one turn only where a call does no harm: %j',
    async (harmless) => {
      const { call, ran, guard } = guarded({ tool: { ...book, ...harmless } as CompiledTool });
      for (let turn = 1; turn <= 8; turn += 1) {
        guard.newTurn();
        await call();
      }
      for (let i = 2; i <= 5; i += 1) await call();
      expect(await refusal(call())).toMatch(/this exact call 5 times in a row/);
      expect(ran).toHaveBeenCalledTimes(12);
    },
  );

  test('does not get on by putting the same arguments in another order', async () => {
    const properties = { guests: { type: 'integer' }, day: { type: 'string' } };
    const { call, ran } = guarded({ tool: { ...book, parameters: { type: 'object', properties } } });
    const orders = [
      { guests: 4, day: 'Monday' },
      { day: 'Monday', guests: 4 },
    ];
    for (let i = 0; i < 5; i += 1) await call(orders[i % 2]);
    expect(await refusal(call(orders[1]))).toMatch(/this exact call 5 times in a row/);
    expect(ran).toHaveBeenCalledTimes(5);
  });

  test('may call again with other arguments', async () => {
    const { call, ran } = guarded();
    for (let i = 0; i < 5; i += 1) await call({ guests: 4 });
    expect(await refusal(call({ guests: 4 }))).toMatch(/in a row/);
    await call({ guests: 5 });
    await call({ guests: 4 });
    expect(ran).toHaveBeenCalledTimes(7);
  });

  test('counts equal calls whose arguments are wrong, too', async () => {
    const { call } = guarded();
    const refusals = [];
    for (let i = 0; i < 6; i += 1) refusals.push(await refusal(call({ guests: 0 })));
    expect(refusals.slice(0, 5).every((text) => /must be >= 1/.test(text))).toBe(true);
    expect(refusals[5]).toMatch(/in a row/);
  });

  test('has so many calls in one turn, then the turn ends without another word of it', async () => {
    const { call, ran, guard } = guarded({ limits: { toolCallsPerTurn: 3, equalToolCalls: 5 } });
    for (let guests = 1; guests <= 3; guests += 1) await call({ guests });
    await expect(call({ guests: 4 })).rejects.toBeInstanceOf(voice.StopResponse);
    guard.newTurn();
    await call({ guests: 5 });
    expect(ran).toHaveBeenCalledTimes(4);
  });
});

test('a tool after which nothing needs to be said ends the turn, and counts as done', async () => {
  const { call, written } = guarded({ run: async () => nothingToAdd });
  await expect(call()).rejects.toBeInstanceOf(voice.StopResponse);
  expect(written.at(-1)).toMatchObject({ finished: { status: 'ok' } });
});

describe('a deadline', () => {
  test('gives the result of work that is done in time', async () => {
    expect(await withDeadline(book, undefined, async () => 'done')).toBe('done');
  });

  test('ends work that does not listen to its signal', async () => {
    await expect(
      withDeadline({ ...book, timeoutMs: 20 }, undefined, () => new Promise(() => undefined)),
    ).rejects.toThrow(/given up/);
  });

  test('that has passed before the work begins lets nothing begin', async () => {
    const work = vi.fn(() => new Promise(() => undefined));
    await expect(withDeadline(book, AbortSignal.abort(), work)).rejects.toThrow(ToolFailure);
    expect(work).not.toHaveBeenCalled();
  });
});
