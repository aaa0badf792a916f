import { llm } from '@livekit/agents';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { contextFor, sizeOfTools, tokensOf } from './context.ts';

const said = (content: string, role: 'user' | 'assistant' | 'system' = 'user') =>
  llm.ChatMessage.create({ role, content });
const texts = (count: number) => Array.from({ length: count }, (_, index) => said(`text ${index + 10}`));
const call = (callId: string) => llm.FunctionCall.create({ callId, name: 'book', args: '{}' });
const result = (callId: string, output = 'R1') =>
  llm.FunctionCallOutput.create({ callId, name: 'book', output, isError: false });
const size = (item: llm.ChatItem) => JSON.stringify(item).length / 4;
const sizeOf = (items: readonly llm.ChatItem[]) => items.reduce((sum, item) => sum + size(item), 0);

function brief(item: llm.ChatItem): string {
  if (item.type === 'message') return `${item.role}: ${item.textContent}`;
  if (item.type === 'function_call') return `call ${item.callId}`;
  return item.type === 'function_call_output' ? `result ${item.callId} ${item.output}` : item.type;
}

describe('a conversation longer than the context', () => {
  test('one that fits is left as it is', () => {
    const items = [said('a', 'system'), said('b'), said('c', 'assistant')];
    expect(contextFor(items, 10_000)).toEqual(items);
  });

  test('loses its oldest items first, and about a quarter of the context more than it must', () => {
    const items = texts(20);
    const kept = contextFor(items, sizeOf(items.slice(-8)));
    expect(kept.map(brief)).toEqual(items.slice(-kept.length).map(brief));
    expect(kept.length).toBeGreaterThanOrEqual(6);
    expect(kept.length).toBeLessThanOrEqual(8);
  });

  test('keeps its beginning from turn to turn, so that a provider knows it already', () => {
    const items = texts(60);
    const instructions = said('the instructions', 'system');
    const maxTokens = sizeOf([instructions, ...items.slice(-20)]);
    const beginnings = Array.from({ length: 40 }, (_, turn) =>
      brief(contextFor([instructions, ...items.slice(0, 20 + turn)], maxTokens)[1] as llm.ChatItem),
    );
    // 39 of these 40 conversations are too long; dropping just what must go would change the beginning each time.
    expect(new Set(beginnings).size).toBeLessThanOrEqual(9);
  });

  test('never loses its instructions, whose size counts', () => {
    const instructions = said('the instructions', 'system');
    const items = [instructions, ...texts(9)];
    const kept = contextFor(items, sizeOf([instructions, ...items.slice(-4)])).map(brief);
    expect(kept[0]).toBe('system: the instructions');
    expect(kept.slice(1)).toEqual(items.slice(-(kept.length - 1)).map(brief));
    expect(kept.length).toBeLessThanOrEqual(5);
  });

  test('never begins with the result of a call that was left out', () => {
    const items = [
      llm.FunctionCall.create({ callId: 'c', name: 'book', args: JSON.stringify({ note: 'x'.repeat(4_000) }) }),
      result('c'),
      said('Booked.', 'assistant'),
    ];
    expect(contextFor(items, 500).map(brief)).toEqual(['assistant: Booked.']);
  });

  test("keeps the person's last words, however much their tools found", () => {
    const found = 'x'.repeat(64 * 1024);
    const calls = Array.from({ length: 10 }, (_, index) => [call(`c${index}`), result(`c${index}`, found)]).flat();
    const kept = contextFor([said('the instructions', 'system'), said('Which one?'), ...calls], 32_000);
    expect(kept.slice(0, 2).map(brief)).toEqual(['system: the instructions', 'user: Which one?']);
    expect(sizeOf(kept)).toBeLessThanOrEqual(32_000);
    expect(kept.at(-1)).toMatchObject({ callId: 'c9' });
  });

  test('a result that would fill it alone is told in part, and the model knows that there is more', () => {
    const kept = contextFor([said('Which one?'), call('c'), result('c', '🙂'.repeat(64 * 1024))], 4_000);
    const { output } = kept.at(-1) as llm.FunctionCallOutput;
    expect(output).toMatch(/was cut here/);
    expect(output.isWellFormed()).toBe(true);
    expect(tokensOf(output)).toBeLessThan(1_100);
  });

  test('any conversation keeps calls and results together, in their order, with what came last', () => {
    const piece = fc.oneof(
      fc.string({ maxLength: 200 }).map((text) => [said(text)]),
      fc.string({ maxLength: 200 }).map((text) => [said(text, 'assistant')]),
      fc.string({ maxLength: 900 }).map((text) => {
        const ids = [crypto.randomUUID(), crypto.randomUUID()] as const;
        return [call(ids[0]), call(ids[1]), result(ids[0], text), result(ids[1], text)];
      }),
    );
    fc.assert(
      fc.property(
        fc.array(piece, { minLength: 1, maxLength: 30 }),
        fc.integer({ min: 50, max: 4_000 }),
        (all, most) => {
          const items = all.flat();
          const kept = contextFor(items, most);
          const ids = (type: string) =>
            kept.flatMap((item) => ('callId' in item && item.type === type ? [item.callId] : []));
          expect(ids('function_call_output').toSorted()).toEqual(ids('function_call').toSorted());
          expect(items.map(({ id }) => id).filter((id) => kept.some((item) => item.id === id))).toEqual(
            kept.map(({ id }) => id),
          );
          expect(kept.at(-1)?.id).toBe(items.at(-1)?.id);
        },
      ),
    );
  });
});

describe('about how many tokens', () => {
  test.for([
    ['We open at noon, every day of the week.', 10],
    ['我们每天中午开门', 8],
    ['毎日正午に開店します', 10],
    ['매일 정오에 엽니다', 8],
    ['Мы открываемся в полдень', 12],
  ] as const)('"%s"', ([text, tokens]) => {
    expect(Math.abs(tokensOf(text) - tokens)).toBeLessThanOrEqual(2);
  });

  test('its tools count', () => {
    const parameters = { type: 'object', properties: {} } as const;
    const book = llm.tool({ name: 'book', description: 'x'.repeat(400), parameters, execute: async () => '' });
    expect(sizeOfTools(undefined)).toBe(0);
    expect(sizeOfTools([book])).toBeGreaterThan(100);
  });
});
