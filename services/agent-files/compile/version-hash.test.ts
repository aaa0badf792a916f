/** A version's hash changes exactly when what the agent does can: shown on an agent that uses every field of the schema. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import agentSchema from '../../../schemas/agent.schema.json' with { type: 'json' };
import toolSchema from '../../../schemas/tool.schema.json' with { type: 'json' };
import { checkFiles } from '../check-files.ts';

const everything = `
name: Desk
prompt: |
  Be kind. It is {{now}}.
knowledge: [a.md]
languages:
  - code: en
    name: English
    greeting: Hello!
    voices:
      - { id: amy, name: Amy, gender: female, default: true, provider: openai, model: alloy }
      - { id: bob, name: Bob, gender: male, provider: openai, model: ash }
    lines: { modelUnavailable: One moment., tooManyMessages: Slowly., limitReached: That was all., voiceUnavailable: Write. }
  - { code: de, name: Deutsch, greeting: Hallo! }
defaultLanguage: de
interactionMode: TEXT
voiceAgentKind: realtime
timezone: Europe/Berlin
model:
  provider: openai
  name: gpt-4.1-mini
  baseUrl: https://models.example.com/v1
  apiKey: { env: MODEL_KEY }
  temperature: 0.5
  maxOutputTokens: 500
  timeout: 20s
  fallbacks:
    - { provider: openai, name: other, baseUrl: https://b.example.com/v1, apiKey: { env: B }, temperature: 0.1, maxOutputTokens: 400, timeout: 10s }
realtime: { name: gpt-realtime, baseUrl: https://r.example.com/v1, apiKey: { env: R }, temperature: 0.7, turnDetection: semantic_vad }
speech:
  recognition: [{ provider: deepgram, model: nova-3, apiKey: { env: D }, keywords: [Linde] }]
  synthesis: [{ provider: openai, model: tts-1, apiKey: { env: O }, speed: 1.1 }]
  interruption: { enabled: true, minDuration: 300ms, minWords: 1 }
  endpointing: { minSilence: 300ms, maxDelay: 2s }
  idlePrompt: { after: 15s, times: 1, say: { en: Are you there?, de: Sind Sie da? } }
  filler: { after: 1s, say: One moment. }
filler: { after: 2s, say: { en: I am at it., de: Ich bin dran. } }
script:
  rules:
    - name: order
      when: ["order", "bestell"]
      language: en
      needs: [{ name: id, pattern: "(?<id>\\\\d+)", ask: Which one? }]
      call: { tool: find, arguments: { id: "{{id}}" } }
      say: { en: "It is {{result}}.", de: Hier. }
      failed: No.
      outcome: resolved
    - { name: bye, after: order, when: bye, say: Goodbye!, end: true }
  fallback: Sorry?
tools: [find, collect, end_call]
collect:
  city: { description: Where they live. }
  age: { description: How old., type: integer, minimum: 18, maximum: 99 }
  size: { description: Which size., enum: [small, large] }
  mail: { description: Their address., format: email }
limits:
  { joinTimeout: 5m, reconnectGrace: 20s, idleTimeout: 5m, maxDuration: 30m, turns: 50, tokens: 50000, textLength: 4000,
    textsWaiting: 5, textsPerMinute: 20, toolCallsPerTurn: 4, equalToolCalls: 3, concurrentSessions: 50, minutesPerMonth: 1000,
    tokensPerDay: 100000, unjoinedSessions: 10, requestsPerMinute: 60, minutesPerDay: 500, toolCallsPerDay: 400, fleetShare: 60,
    visitor: { sessions: 20, spokenSessions: 5, minutesPerDay: 300, toolCallsPerDay: 200 },
    unsigned: { sessions: 40, spokenSessions: 6, minutesPerDay: 350, toolCallsPerDay: 250 } }
context: { maxTokens: 16000, instructionTokens: 4000, rule: drop-oldest }
sessions: { systemPrompt: signed, requireSignature: true, camera: true, microphone: true }
allowedOrigins: [https://shop.example.com]
phone:
  outbound:
    consent: not-required
    hours: [{ days: [mon, sat], from: '10:00', to: '24:00' }]
    variables: { guest: { description: Whom it is for., required: false } }
webhook: { url: https://hooks.example.com/x }
widget:
  { mode: text, language: en, voiceId: amy, position: bottom-left, theme: dark, color: "#112233", title: Desk, subtitle: We help.,
    greeting: { "*": How can we help? }, open: true, consent: We keep what you write., target: "#desk" }
retention: 30d
summary: { enabled: true, instructions: Be brief. }
`;

const tool = `
name: find
description: Finds a thing.
parameters: { type: object, properties: { id: { type: string, description: Its number. } }, required: [id] }
timeout: 5s
idempotent: true
http:
  method: GET
  url: https://api.example.com/things/{{id}}
  headers: { X-Shop: linde, Authorization: { env: SHOP_TOKEN } }
  maxResponseBytes: 4096
`;

const files = { 'desk.yaml': everything, 'tools/find.yaml': tool, 'knowledge/a.md': 'Open from 9 to 5.\n' };

/** Undefined when the agent is not valid. */
function hashWith(changes: Record<string, string> = {}): string | undefined {
  const { agents, faults } = checkFiles(new Map(Object.entries({ ...files, ...changes })));
  return faults.some(({ severity }) => severity === 'error') ? undefined : agents[0]?.hash;
}

const hash = hashWith();

type Path = readonly (string | number)[];

/** Every value that is no list and no map, by its way from the root. */
function leavesOf(value: unknown, path: Path = []): Path[] {
  if (typeof value !== 'object' || value === null) return [path];
  if (Array.isArray(value)) return value.flatMap((part, index) => leavesOf(part, [...path, index]));
  return Object.entries(value).flatMap(([key, part]) => leavesOf(part, [...path, key]));
}

const at = (value: unknown, path: Path): unknown =>
  path.reduce<unknown>((part, key) => (part as Record<string | number, unknown>)[key], value);

/** The same value with another one in one place. */
function replaced(value: unknown, [key, ...rest]: Path, by: unknown): unknown {
  if (key === undefined) return by;
  if (Array.isArray(value)) return value.map((part, index) => (index === key ? replaced(part, rest, by) : part));
  const map = value as Record<string, unknown>;
  return { ...map, [key]: replaced(map[key], rest, by) };
}

/** The lists of allowed values in a schema. */
function enumsOf(schema: unknown): unknown[][] {
  if (typeof schema !== 'object' || schema === null) return [];
  const own = 'enum' in schema && Array.isArray(schema.enum) ? [schema.enum as unknown[]] : [];
  return [...own, ...Object.values(schema).flatMap(enumsOf)];
}

const enums = [...enumsOf(agentSchema), ...enumsOf(toolSchema)];

/** Values of which one mostly is valid where another stood. */
function othersThan(value: unknown): unknown[] {
  if (typeof value === 'boolean') return [!value];
  if (typeof value === 'number') return [value + 1, value - 1, value / 2];
  const text = String(value);
  if (/^\d+(?:ms|s|m|h|d)$/.test(text)) return ['7s', '7m', '7d', '800ms'].filter((other) => other !== text);
  const allowed = enums.filter((list) => list.includes(value)).flat();
  if (allowed.length > 0) return allowed.filter((other) => other !== value);
  const longer = [`${text}x`, `${text}X`, text.replace('example', 'other'), text.replace(/.$/, 'Z')];
  return [...longer, '#abcdef', 'en', 'Europe/Vienna', 'transfer'].filter((other) => other !== value);
}

/** What only the check of the files reads: nothing of it reaches a conversation. */
const readByChecksOnly = ['context,instructionTokens'];

/** Each leaf with the first other value that leaves the agent valid. */
function changed(file: 'desk.yaml' | 'tools/find.yaml'): { path: Path; other: unknown; now: string }[] {
  const value: unknown = parse(files[file]);
  return leavesOf(value).flatMap((path) => {
    for (const other of othersThan(at(value, path))) {
      const now = hashWith({ [file]: stringify(replaced(value, path, other)) });
      if (now !== undefined) return [{ path, other, now }];
    }
    return [];
  });
}

test('the agent uses every field that there is, and is valid', () => {
  expect(hash).toMatch(/^[0-9a-f]{64}$/);
  expect(Object.keys(parse(everything) as object).toSorted()).toEqual(Object.keys(agentSchema.properties).toSorted());
});

test.each(['desk.yaml', 'tools/find.yaml'] as const)('another value anywhere in %s is another version', (file) => {
  const all = changed(file);
  const same = all.filter(({ now }) => now === hash).map(({ path }) => String(path));
  expect(same).toEqual(file === 'desk.yaml' ? readByChecksOnly : []);
  // What cannot be changed alone (names that others refer to, arguments that a script gives, the only value that is allowed) is little.
  expect(all.length).toBeGreaterThan(leavesOf(parse(files[file])).length * 0.7);
});

test('leaving out what has a default, or writing it, is the same; leaving out anything else is another version', () => {
  const value = parse(everything) as Record<string, unknown>;
  for (const key of Object.keys(value)) {
    const { [key]: _, ...rest } = value;
    const without = hashWith({ 'desk.yaml': stringify(rest) });
    expect(without, key).not.toBe(hash);
  }
  const { limits: _limits, ...others } = value;
  const explicit = { ...others, limits: { turns: 200, textsWaiting: 10, idleTimeout: '600s' } };
  expect(hashWith({ 'desk.yaml': stringify(explicit) })).toBe(hashWith({ 'desk.yaml': stringify(others) }));
});

const shuffled = (value: unknown, random: () => number): unknown => {
  if (Array.isArray(value)) return value.map((part) => shuffled(part, random));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, part]) => [random(), key, shuffled(part, random)] as const);
  return Object.fromEntries(entries.toSorted(([a], [b]) => a - b).map(([, key, part]) => [key, part]));
};

/** How a file may be written without meaning anything else. */
const styles = fc.record({
  indent: fc.integer({ min: 2, max: 8 }),
  lineWidth: fc.constantFrom(0, 40, 200),
  defaultStringType: fc.constantFrom('PLAIN' as const, 'QUOTE_DOUBLE' as const, 'QUOTE_SINGLE' as const),
  collectionStyle: fc.constantFrom('any' as const, 'block' as const, 'flow' as const),
  order: fc.infiniteStream(fc.double({ min: 0, max: 1, noNaN: true })),
  comment: fc.stringMatching(/^[ -~]{0,40}$/),
});

test('how it is written makes no difference: order of fields, quotes, indentation, comments, line ends, blank lines', () => {
  const values = Object.entries(files).filter(([file]) => file.endsWith('.yaml'));
  fc.assert(
    fc.property(styles, fc.boolean(), ({ order, comment, ...style }, isDos) => {
      const random = () => order.next().value ?? 0;
      const written = values.map(([file, text]) => {
        const yaml = `# ${comment}\n\n${stringify(shuffled(parse(text), random), style)}\n# ${comment}\n`;
        return [file, isDos ? yaml.replaceAll('\n', '\r\n') : yaml];
      });
      expect(hashWith(Object.fromEntries(written))).toBe(hash);
    }),
    { numRuns: 100 },
  );
});

test('what the agent does not use is no part of its version', () => {
  for (const [file, text] of [
    ['shop.yaml', everything.replace('name: Desk', 'name: Shop')],
    ['tools/other.yaml', tool.replace('name: find', 'name: other')],
    ['knowledge/b.md', 'Nobody reads this.'],
    ['scenarios/desk.yaml', 'scenarios: [{ name: x, turns: [{ say: Hi }] }]\n'],
  ] as const)
    expect(hashWith({ [file]: text }), file).toBe(hash);
  expect(hashWith({ 'knowledge/a.md': 'Open from 9 to 6.\n' })).not.toBe(hash);
});

test('the files give the same in whatever order they come', () => {
  const entries = Object.entries({
    ...files,
    'shop.yaml': everything,
    'knowledge/b.md': 'B',
    'broken.yaml': 'name: [\n',
  });
  const expected = checkFiles(new Map(entries));
  fc.assert(
    fc.property(fc.shuffledSubarray(entries, { minLength: entries.length }), (order) => {
      const { agents, faults } = checkFiles(new Map(order));
      expect([agents, faults]).toEqual([expected.agents, expected.faults]);
    }),
    { numRuns: 30 },
  );
});
