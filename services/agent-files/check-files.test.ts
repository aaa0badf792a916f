import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { type CheckOptions, checkFiles } from './check-files.ts';

const sound = `name: Desk
prompt: Be kind.
languages:
  - code: en
    name: English
`;

const tool = `name: find
description: Finds a thing.
parameters:
  type: object
  properties: { id: { type: string } }
http:
  method: GET
  url: https://example.com/things/{{id}}
`;

const check = (files: Record<string, string>, options: CheckOptions = {}) =>
  checkFiles(new Map(Object.entries(files)), options);

/** `line:column rule message` of each fault of an agent with these lines after the sound ones. */
function faultsOf(more: string, files: Record<string, string> = {}, options: CheckOptions = {}): string[] {
  const { faults } = check({ 'desk.yaml': `${sound}${more}`, ...files }, options);
  return faults.map(
    ({ file, line, column, message }) => `${file === 'desk.yaml' ? '' : `${file} `}${line}:${column} ${message}`,
  );
}

describe('a sound agent', () => {
  test('has no faults and all its defaults', () => {
    const { agents, faults } = check({ 'desk.yaml': sound });
    expect(faults).toEqual([]);
    expect(agents[0]?.hash).toMatch(/^[0-9a-f]{64}$/);
    expect(agents[0]?.agent).toMatchObject({
      agent: 'desk',
      interactionMode: 'VOICE',
      voiceAgentKind: 'pipeline',
      timezone: 'UTC',
      defaultLanguage: 'en',
      model: { provider: 'auto', maxOutputTokens: 1024, timeoutMs: 30_000 },
      limits: {
        joinTimeoutMs: 600_000,
        reconnectGraceMs: 30_000,
        idleTimeoutMs: 600_000,
        maxDurationMs: 3_600_000,
        textLength: 8_000,
        textsWaiting: 10,
        textsPerMinute: 30,
        toolCallsPerTurn: 10,
        equalToolCalls: 5,
      },
      retentionMs: 90 * 86_400_000,
      settings: {
        sessions: { systemPrompt: 'server', requireSignature: false, camera: false, microphone: true },
        caps: { unjoinedSessions: 20, requestsPerMinute: 180 },
      },
    });
  });

  test('waits less for a model whose answer is heard, unless it says how long', () => {
    const model = (timeout: string) =>
      check({ 'desk.yaml': `${sound}model: { provider: openai${timeout} }\n` }).agents[0]?.agent.model;
    expect(model('')).toMatchObject({ timeoutMs: 30_000, spokenTimeoutMs: 7_000 });
    expect(model(', timeout: 20s')).toEqual({ provider: 'openai', maxOutputTokens: 1024, timeoutMs: 20_000 });
  });

  test('hands on how long a model thinks, and further fields of its request', () => {
    const options = { top_p: 0.5, chat_template_kwargs: { enable_thinking: false } };
    const given = JSON.stringify({ provider: 'openai', reasoningEffort: 'low', options });
    const { agents, faults } = check({ 'desk.yaml': `${sound}model: ${given}\n` });
    expect(faults).toEqual([]);
    expect(agents[0]?.agent.model).toMatchObject({ reasoningEffort: 'low', options });
  });

  test('has every line of the service in its language', () => {
    const { agents } = check({
      'desk.yaml': `${sound}  - { code: de-AT, name: Deutsch }\n  - { code: fr, name: Français }\n`,
    });
    const lines = agents[0]?.agent.languages.map((language) => language.lines.modelUnavailable);
    expect(lines?.[1]).toMatch(/^Es tut mir leid/);
    expect(lines?.[2]).toBe(lines?.[0]);
  });

  test('brings its tools and knowledge along', () => {
    const { agents, faults } = check({
      'desk.yaml': `${sound}tools: [find, end_call]\nknowledge: [b.md, a.md]\n`,
      'tools/find.yaml': tool,
      'knowledge/a.md': 'A\n',
      'knowledge/b.md': '# B\n',
    });
    expect(faults).toEqual([]);
    expect(agents[0]?.agent.knowledge).toBe('# B\n\nA');
    expect(agents[0]?.agent.tools).toMatchObject([
      { name: 'find', timeoutMs: 10_000, idempotent: false, http: { method: 'GET', maxResponseBytes: 65_536 } },
      { name: 'end_call', builtin: 'end_call' },
    ]);
  });

  test('keeps the difference between no allowed origins and none named', () => {
    expect(check({ 'desk.yaml': `${sound}allowedOrigins: []\n` }).agents[0]?.agent.settings.allowedOrigins).toEqual([]);
    expect(check({ 'desk.yaml': sound }).agents[0]?.agent.settings).not.toHaveProperty('allowedOrigins');
  });
});

describe('the schema of an agent', () => {
  test.each([
    ['langauges: []', '6:1 There is no field "langauges". Did you mean "languages"?'],
    ['limits:\n  turn: 3', '7:3 There is no field "turn" in "limits". Did you mean "turns"?'],
    ['limits:\n  turns: many', '7:10 "limits.turns" must be a whole number, not the text "many".'],
    ['limits:\n  turns: 100000', '7:10 "limits.turns" must be between 1 and 5000, not 100000.'],
    [
      'limits: { idleTimeout: 30 }',
      '6:24 "limits.idleTimeout" must be a duration such as 30s, 10m, 1h or 90d, not 30.',
    ],
    ['limits: { idleTimeout: 5d }', '6:24 "limits.idleTimeout" must be between 1s and 2h, not "5d".'],
    [
      'limits: { idleTimeout: soon }',
      '6:24 "limits.idleTimeout" is not right: "soon". Write a duration such as 30s, 10m, 1h or 90d.',
    ],
    ['interactionMode: Text', '6:18 "interactionMode" must be VOICE or TEXT, not "Text". Did you mean "TEXT"?'],
    ['interactionMode:', '6:1 "interactionMode" must be VOICE or TEXT, not null.'],
    [
      'model:\n  apiKey: OPENAI',
      '7:11 "model.apiKey" must be {env: NAME} with the name of an environment variable, not the text "OPENAI".',
    ],
    [
      'model:\n  reasoningEffort: lwo',
      '7:20 "model.reasoningEffort" must be none, minimal, low, medium, high or xhigh, not "lwo". Did you mean "low"?',
    ],
    [
      'model:\n  options: { messages: [] }',
      '7:14 There is no field "messages" in "model.options". Known here: top_p, top_k, min_p, frequency_penalty, presence_penalty, repetition_penalty, seed, stop, verbosity, service_tier, prompt_cache_key, parallel_tool_calls, chat_template_kwargs, reasoning, thinking.',
    ],
    ['model:\n  options: { top_p: 7 }', '7:21 "model.options.top_p" must be between 0 and 1, not 7.'],
    ['webhook: { url: 5 }', '6:17 "webhook.url" must be text or {env: NAME}, not 5.'],
    ['knowledge: [a.md, a.md]', '6:19 "knowledge" has the same entry twice; keep one.'],
  ])('says where and what: %s', (more, fault) => {
    expect(faultsOf(`${more}\n`, { 'knowledge/a.md': 'A' })).toEqual([fault]);
  });

  test('names missing fields at the part that lacks them', () => {
    const { faults } = check({ 'desk.yaml': 'name: Desk\nlanguages:\n  - code: en\n' });
    expect(faults.map(({ line, column, message }) => `${line}:${column} ${message.split('.')[0]}`)).toEqual([
      '1:1 The field "prompt" is missing',
      '3:5 The field "name" is missing in "languages[0]"',
    ]);
  });

  test('reports all faults at once, those of references too', () => {
    const faults = faultsOf('bogus: 1\ntools: [nothing]\nlimits: { turns: 0 }\ntimezone: Europe/Berln\n');
    expect(faults).toHaveLength(4);
    expect(faults[3]).toBe('9:11 There is no time zone "Europe/Berln". Did you mean "Europe/Berlin"?');
  });
});

describe('what an agent refers to', () => {
  test.each([
    ['tools: [fnd]', '6:9 There is no file tools/fnd.yaml. Did you mean "find"?'],
    ['tools:\n  - end_cal', '7:5 There is no file tools/end_cal.yaml. Did you mean "end_call"?'],
    ['knowledge: [b.md]', '6:13 There is no file knowledge/b.md. Did you mean "a.md"?'],
    ['defaultLanguage: fr', '6:18 "defaultLanguage" must be one of the agent\'s languages (en), not "fr".'],
    [
      'context: { instructionTokens: 100 }\nknowledge: [long.md]',
      '7:1 Prompt and knowledge have about 252 tokens, but context.instructionTokens allows 100: shorten them or raise it.',
    ],
    ['timezone: Mars/Base', '6:11 There is no time zone "Mars/Base". Write one such as Europe/Berlin or UTC.'],
    ['webhook: { url: http://example.com/x }', '6:17 The address must begin with https://.'],
    [
      'webhook: { url: https://127.0.0.1/x }',
      '6:17 The address must be reachable from outside, not only from this machine.',
    ],
  ])('is there: %s', (more, fault) => {
    const files = { 'tools/find.yaml': tool, 'knowledge/a.md': 'A', 'knowledge/long.md': 'x'.repeat(1_000) };
    expect(faultsOf(`${more}\n`, files)).toEqual([fault]);
  });

  test('may be on this machine in development', () => {
    expect(faultsOf('webhook: { url: "http://127.0.0.1:7810/hook" }\n', {}, { environment: 'development' })).toEqual(
      [],
    );
  });

  test('warns where nothing would be sent', () => {
    const { agents, faults } = check(
      { 'desk.yaml': `${sound}webhook: { url: https://example.com/x }\n` },
      { webhookEnabled: false },
    );
    expect(faults).toMatchObject([{ line: 6, column: 1, severity: 'warning', rule: 'webhook-off' }]);
    expect(agents).toHaveLength(1);
  });

  test('warns of a prompt that anyone with the page can replace', () => {
    expect(check({ 'desk.yaml': `${sound}widget: {}\n` }).faults).toMatchObject([
      { line: 6, column: 1, severity: 'warning', rule: 'widget-prompt' },
    ]);
    expect(faultsOf('widget: {}\nsessions: { systemPrompt: signed }\n')).toEqual([]);
  });

  test('needs languages once and one default voice each', () => {
    const voices =
      '    voices:\n      - { id: af, name: A }\n      - { id: af, name: B }\n  - { code: EN, name: Again }\n';
    expect(faultsOf(voices)).toEqual([
      '6:5 Exactly one voice of "en" must say default: true; none does.',
      '8:15 The voice "af" is listed twice; keep one.',
      '9:13 The language "EN" is listed twice; keep one.',
    ]);
    expect(
      faultsOf('    voices:\n      - { id: af, name: A, default: true }\n      - { id: am, name: B, default: true }\n'),
    ).toEqual(['8:37 Exactly one voice of "en" must say default: true; 2 do.']);
  });

  test('uses prompt variables that exist, and points into the text', () => {
    const prompt =
      'name: Desk\nprompt: |\n  It is {{now}}.\n  Talk {{langage}}.\nlanguages: [{ code: en, name: English }]\n';
    expect(check({ 'desk.yaml': prompt }).faults).toMatchObject([{ line: 4, column: 8, rule: 'prompt-variable' }]);
  });

  test('is not compiled when a tool it names has a fault', () => {
    const { agents, faults } = check({
      'desk.yaml': `${sound}tools: [find]\n`,
      'tools/find.yaml': tool.replace('name: find', 'name: fond'),
    });
    expect(agents).toEqual([]);
    expect(faults).toMatchObject([{ file: 'tools/find.yaml', line: 1, column: 7 }]);
  });
});

describe('secrets', () => {
  test.each([
    ['prompt: use sk-abcdefghijklmnopqrstuvwx', 2, 13],
    ['prompt: see https://user:pass@example.com/', 2, 13],
  ])('are refused in texts: %s', (line, at, column) => {
    const { faults } = check({ 'desk.yaml': sound.replace('prompt: Be kind.', line) });
    expect(faults).toMatchObject([{ line: at, column, rule: 'secret' }]);
  });

  test.each(['0x4AAAAAAABkMYinukE8nzYS', '10000000-ffff-ffff-ffff-000000000001'])(
    'are not the keys of challenges, which every page carries: %s',
    (siteKey) => {
      const challenge = `sessions: { challenge: { provider: hcaptcha, siteKey: '${siteKey}' } }`;
      expect(faultsOf(challenge).filter((fault) => fault.includes('secret'))).toEqual([]);
    },
  );

  test('are refused in headers, where references are welcome', () => {
    const headers = (value: string) => ({ 'tools/find.yaml': `${tool}  headers:\n    Authorization: ${value}\n` });
    expect(faultsOf('', headers('Bearer 0123456789abcdef0123456789abcdef'))).toEqual([
      'tools/find.yaml 10:20 "Authorization" looks like a secret. Secrets are never written in these files: put it in the environment and write {env: NAME}.',
    ]);
    expect(faultsOf('', headers('{ env: FIND_AUTHORIZATION }'))).toEqual([]);
  });

  test.each([
    [
      'a header of a tool',
      '',
      `${tool}  headers:\n    Authorization: { env: PARLEY_MASTER_KEYS }\n`,
      'tools/find.yaml 10:27',
    ],
    [
      'the address of a tool',
      '',
      tool.replace('https://example.com', '{ env: PARLEY_MASTER_KEYS, path: "').replace('}}\n', '}}" }\n'),
      'tools/find.yaml 8:15',
    ],
    ['a webhook', 'webhook: { url: { env: PARLEY_MASTER_KEYS } }\n', tool, '6:24'],
    ['a model', 'model: { provider: openai, apiKey: { env: PARLEY_MASTER_KEYS } }\n', tool, '6:43'],
    ['a fallback', 'model: { fallbacks: [{ provider: openai, apiKey: { env: PARLEY_MASTER_KEYS } }] }\n', tool, '6:57'],
    [
      'a recogniser',
      'speech: { recognition: [{ provider: deepgram, apiKey: { env: PARLEY_MASTER_KEYS } }] }\n',
      tool,
      '6:62',
    ],
    ['a realtime model', 'realtime: { apiKey: { env: PARLEY_MASTER_KEYS } }\n', tool, '6:28'],
  ])('of the installation cannot be named by %s', (_where, more, toolText, place) => {
    const given = (variables: string[]) => faultsOf(more, { 'tools/find.yaml': toolText }, { variables });
    expect(given(['CRM_TOKEN'])).toEqual([
      `${place} The variable PARLEY_MASTER_KEYS belongs to the installation, and agents may not refer to it. Use a name of your own, such as CRM_TOKEN.`,
    ]);
  });

  test('that the operator declares may be named, and a parameter may be called env', () => {
    const declared = `${tool}  headers:\n    Authorization: { env: FIND_TOKEN }\n`;
    const ofItsOwn = declared.replace(
      '{ id: { type: string } }',
      '{ id: { type: string }, env: { enum: [live, test] } }',
    );
    const given = (text: string, variables: string[]) => faultsOf('', { 'tools/find.yaml': text }, { variables });
    expect(given(ofItsOwn, ['FIND_TOKEN'])).toEqual([]);
    expect(given(declared, ['FIND_TOKENS'])).toEqual([expect.stringContaining('Did you mean FIND_TOKENS?')]);
  });

  test('are refused in knowledge', () => {
    const knowledge = 'Notes\nkey: ghp_0123456789abcdefghijklmnopqrstuvwxyz\n';
    expect(check({ 'desk.yaml': sound, 'knowledge/a.md': knowledge }).faults).toMatchObject([
      { file: 'knowledge/a.md', line: 2, column: 6, rule: 'secret' },
    ]);
  });

  test.each(['Idempotency-Key', 'x-signature', 'Host', 'Transfer-Encoding'])(
    'headers that the service sets itself are refused: %s',
    (name) => {
      const files = { 'tools/find.yaml': `${tool}  headers:\n    ${name}: x\n` };
      expect(faultsOf('', files)).toEqual([
        `tools/find.yaml 10:5 "${name}" is set by the service itself; leave it out.`,
      ]);
    },
  );

  test('are told from ordinary words', () => {
    expect(
      faultsOf('tools: [find]\n', {
        'tools/find.yaml': tool.replace('id: {', 'token: { type: string, description: A token }, id: {'),
      }),
    ).toEqual([]);
  });
});

describe('a tool', () => {
  const faults = (text: string): string[] =>
    check({ 'tools/find.yaml': text }).faults.map(({ line, column, message }) => `${line}:${column} ${message}`);

  test.each([
    ['name: find', 'name: fnd', '1:7 "name" must be the file\'s name, "find", or the file be called fnd.yaml.'],
    ['type: object\n', 'type: array\n', '3:1 "parameters" must be a JSON Schema with type: object.'],
    ['type: string', 'type: text', '5:29 "type" must be one of string, number, integer, boolean, array, object, null.'],
    ['{{id}}', '{{ident}}', '8:35 The tool has no parameter "ident". Known: id.'],
    ['https://example.com', 'http://example.com', '8:8 The address must begin with https://.'],
    [
      'https://example.com',
      'https://{{id}}.example.com',
      '8:8 The host must be written out: arguments may fill in the path and the query only.',
    ],
    [
      'method: GET',
      'method: get',
      '7:11 "http.method" must be GET, POST, PUT, PATCH or DELETE, not "get". Did you mean "GET"?',
    ],
    ['http:', 'timeout: 2m\nhttp:', '6:10 "timeout" must be between 100ms and 60s, not "2m".'],
    ['http:', 'client: true\nhttp:', '6:1 A tool has either "http" or "client: true", not both.'],
  ])('says what would be right for %s -> %s', (from, to, fault) => {
    expect(faults(tool.replace(from, to))).toEqual([fault]);
  });

  test('needs somebody who answers it', () => {
    expect(faults(tool.split('http:')[0] ?? '')).toEqual([
      '1:1 Say who answers the tool: "http" with an address, or "client: true".',
    ]);
  });

  test('may leave its host to the environment', () => {
    expect(
      faults(tool.replace('https://example.com/things/{{id}}', '{ env: BASE_URL, path: "/things/{{id}}" }')),
    ).toEqual([]);
    expect(
      faults(tool.replace('https://example.com/things/{{id}}', '{ env: BASE_URL, path: "/things/{{di}}" }')),
    ).toEqual(['8:40 The tool has no parameter "di". Did you mean {{id}}?']);
  });
});

describe('a script', () => {
  const faults = (rules: string): string[] =>
    faultsOf(`tools: [find]\nscript:\n  fallback: What?\n  rules:\n${rules}`, { 'tools/find.yaml': tool });

  test.each([
    ['    - { when: "(a+)+b", say: hi }', /^10:15 The pattern repeats a group/],
    ['    - { when: ["a", "("], say: hi }', /^10:21 The pattern is not a regular expression: Unterminated group\.$/],
    ['    - { when: a, say: "hi {{nam}}" }', /^10:27 No slot is named "nam"/],
    ['    - { when: a, say: "hi {{result.x}}" }', /^10:27 .* known only after a tool was called/],
    ['    - { say: hi }', /^10:7 A rule needs "when"/],
    ['    - { when: a, after: hello, say: hi }', /^10:25 No rule is named "hello"/],
    ['    - { when: a, say: { de: hi } }', /^10:18 A text for en is missing/],
    ['    - { when: a, say: { en: hi, fr: salut } }', /^10:33 The agent does not speak "fr"/],
    [
      '    - { when: a, language: de, say: hi }',
      /^10:28 "language" must be one of the agent's languages \(en\), not "de"\.$/,
    ],
    [
      '    - { when: a, call: { tool: fnd }, say: hi }',
      /^10:32 "fnd" is not among the agent's tools\. Did you mean "find"\?$/,
    ],
    ['    - { when: a, call: { tool: find, arguments: { id: "{{x}}" } }, say: hi }', /^10:56 No slot is named "x"/],
    ['    - { when: a, say: bye, end: true }', /^10:33 A rule that ends the conversation needs end_call/],
    ['    - { when: a, needs: [{ name: id, pattern: a, ask: Which? }], say: hi }', /^10:47 The pattern needs a group/],
    ['    - { name: x, when: a, say: hi }\n    - { name: x, when: b, say: hi }', /^11:15 Another rule is named "x"/],
  ])('says where: %s', (rules, fault) => {
    const found = faults(`${rules}\n`);
    expect(found.filter((text) => fault.test(text))).toHaveLength(1);
  });

  test('is checked rule by rule, so that one fault hides no other', () => {
    expect(faults('    - { when: 5, say: hi }\n    - { when: "(", say: hi }\n')).toEqual([
      '10:15 "script.rules[0].when" must be text or a list, not 5.',
      '11:15 The pattern is not a regular expression: Unterminated group.',
    ]);
  });
});

describe('scenarios', () => {
  const scenario = 'scenarios:\n  - name: It greets\n    turns:\n      - say: Hi\n        expect: { tool: find }\n';

  test('are read beside the version and are no part of it', () => {
    const files = { 'desk.yaml': `${sound}tools: [find]\n`, 'tools/find.yaml': tool };
    const { agents, faults, scenarios } = check({ ...files, 'scenarios/desk.yaml': scenario });
    expect(faults).toEqual([]);
    expect(scenarios).toMatchObject([{ agent: 'desk', scenarios: [{ name: 'It greets', tools: {} }] }]);
    expect(agents[0]?.hash).toBe(check(files).agents[0]?.hash);
  });

  test('belong to an agent and name its tools', () => {
    expect(faultsOf('', { 'scenarios/desk.yaml': scenario })).toEqual([
      'scenarios/desk.yaml 5:25 "find" is not among the agent\'s tools. Known: none.',
    ]);
    expect(faultsOf('', { 'scenarios/disk.yaml': scenario })).toEqual([
      'scenarios/disk.yaml 1:1 A scenario file is named after its agent, and there is no agent "disk".',
    ]);
  });
});

describe('YAML that cannot be read', () => {
  test.each([
    ['name: "Desk\nprompt: x\n', /^syntax$/],
    ['name: a\nname: b\n', /^syntax$/],
    ['\tname: a\n', /^syntax$/],
    ['name: *x\n', /^syntax$/],
    ['a: &x 1\nb: *x\n', /^syntax$/],
    ['name: !!js/function x\n', /^syntax$/],
    ['a: 1\n---\nb: 2\n', /^syntax$/],
    ['? [a]\n: 1\n', /^syntax$/],
    ['a: .inf\n', /^syntax$/],
    ['', /^syntax$/],
    ['# only a comment\n', /^syntax$/],
    ['- a\n', /^type$/],
    ['text', /^type$/],
    [`a: ${'['.repeat(20_000)}`, /^syntax$/],
    [`a: ${'['.repeat(300)}${']'.repeat(300)}`, /^syntax$/],
  ])('is a located fault (%#)', (text, rule) => {
    const { agents, faults } = check({ 'desk.yaml': text });
    expect(agents).toEqual([]);
    expect(faults.length).toBeGreaterThan(0);
    expect(faults[0]?.rule).toMatch(rule);
  });

  test('is located where it goes wrong', () => {
    const at = (text: string) =>
      check({ 'desk.yaml': text }).faults.map(({ line, column, message }) => `${line}:${column} ${message}`);
    expect(at('name: a\nname: b\n')).toEqual(['2:1 This field is written twice; keep one.']);
    expect(at('name: a\nprompt: &p text\nscript: *p\n')).toEqual([
      '3:9 Aliases are not read here: write the text again in place of the *alias.',
    ]);
    expect(at('name: a\nprompt: Say: this\n')).toEqual([
      '2:9 Text with a colon in it needs quotes, or the next field belongs on a line of its own.',
    ]);
  });

  test('is told once, where it is wrong, whatever follows from it', () => {
    const lines = [
      ...['name: Desk', 'prompt: |', '  Answer.', 'languages:', '  - code: en', '    name: English'],
      ...['    greeting: Hello', '    phrases:', '      - hi', '      - bye', '  - code: de', '    name: Deutsch'],
      ...['    greeting: Hallo', 'limits:', '  turns: 5', ''],
    ];
    const faultsWith = (line: number, indent: string) => {
      const text = lines.with(line - 1, `${indent}${lines[line - 1]?.trim()}`).join('\n');
      return check({ 'desk.yaml': text }).faults.map((fault) => `${fault.line} ${fault.message}`);
    };
    for (const [line, indent] of [
      ...([
        [5, ' '],
        [6, '   '],
        [6, '     '],
        [7, '   '],
        [7, '     '],
        [9, '       '],
      ] as const),
      ...([
        [12, '   '],
        [13, '     '],
        [15, '\t'],
      ] as const),
    ] as const) {
      const found = faultsWith(line, indent);
      expect(found, `${line}`).toHaveLength(1);
      expect(Math.abs(Number.parseInt(found[0] ?? '', 10) - line), `${line}`).toBeLessThanOrEqual(1);
      expect(found[0]).toMatch(/indentation|[Ii]ndent/);
    }
  });

  test('a mistyped name of a field is told, and not that the field is missing', () => {
    const text = sound.replace('languages', 'langauges');
    const found = check({ 'desk.yaml': text }).faults.map(({ message }) => message);
    expect(found).toEqual(['There is no field "langauges". Did you mean "languages"?']);
  });

  test('is no way to a prototype', () => {
    expect(check({ 'desk.yaml': `${sound}__proto__: { tools: [end_call] }\n` }).faults).toMatchObject([
      { line: 6, column: 1, rule: 'unknown-field' },
    ]);
  });
});

test('a file that is no id cannot be an agent', () => {
  const { faults } = check({ 'Front Desk.yaml': sound });
  expect(faults).toMatchObject([{ file: 'Front Desk.yaml', rule: 'agent-name' }]);
});

const located = ({ faults }: ReturnType<typeof check>): void => {
  for (const { file, line, column, rule, message } of faults) {
    expect(file).not.toBe('');
    expect(line).toBeGreaterThan(0);
    expect(column).toBeGreaterThan(0);
    expect(rule).not.toBe('');
    expect(message).toMatch(/[.?]$/);
    expect(message).not.toContain('\n');
  }
};

const files = ['desk.yaml', 'tools/find.yaml', 'knowledge/a.md', 'scenarios/desk.yaml'];

test('any text gives agents or located faults, never a crash', () => {
  const text = fc.oneof(
    fc.string({ unit: 'grapheme' }),
    fc
      .array(
        fc.constantFrom(
          'a',
          ':',
          ' ',
          '\n',
          '-',
          '[',
          ']',
          '{',
          '}',
          '"',
          "'",
          '&x',
          '*x',
          '|',
          '>',
          '#',
          '!',
          '?',
          '\t',
          ',',
          '\r',
        ),
      )
      .map((parts) => parts.join('')),
  );
  fc.assert(
    fc.property(fc.constantFrom(...files), text, (file, content) => {
      const result = check({ [file]: content });
      located(result);
      if (result.agents.length === 0 && !file.endsWith('.md'))
        expect(result.faults.some(({ severity }) => severity === 'error') || file !== 'desk.yaml').toBe(true);
    }),
    { numRuns: 500 },
  );
});

test('any value in any field of an agent gives agents or located faults', () => {
  const fields = [
    'name',
    'prompt',
    'knowledge',
    'languages',
    'defaultLanguage',
    'timezone',
    'model',
    'realtime',
    'speech',
    'script',
    'tools',
    'limits',
    'context',
    'sessions',
    'allowedOrigins',
    'webhook',
    'widget',
    'retention',
    'summary',
  ];
  const base = { name: 'Desk', prompt: 'Be kind.', languages: [{ code: 'en', name: 'English' }] };
  fc.assert(
    fc.property(fc.constantFrom(...fields), fc.jsonValue({ maxDepth: 4 }), (field, value) => {
      const result = check({ 'desk.yaml': stringify({ ...base, [field]: value }) });
      located(result);
      expect(result.agents.length === 1).toBe(!result.faults.some(({ severity }) => severity === 'error'));
    }),
    { numRuns: 500 },
  );
});

test('any script gives agents or located faults', () => {
  const word = fc.oneof(
    fc.string({ maxLength: 12 }),
    fc.constantFrom('(a+)+', '{{x}}', '{{result.y}}', '(?<x>a)', 'en', '*', 'end_call'),
  );
  const text = fc.oneof(word, fc.dictionary(fc.constantFrom('en', 'de', '*'), word));
  const rule = fc.record(
    {
      name: word,
      when: fc.oneof(word, fc.array(word)),
      after: word,
      language: word,
      needs: fc.array(fc.record({ name: word, pattern: word, ask: text }, { requiredKeys: [] })),
      call: fc.record({ tool: word, arguments: fc.dictionary(word, word) }, { requiredKeys: [] }),
      say: text,
      failed: text,
      end: fc.boolean(),
    },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(fc.array(rule), text, (rules, fallback) => {
      const agent = { name: 'Desk', prompt: 'x', languages: [{ code: 'en', name: 'E' }], script: { rules, fallback } };
      located(check({ 'desk.yaml': stringify(agent) }));
    }),
    { numRuns: 500 },
  );
});

test('any parameters of a tool give a tool or located faults', () => {
  fc.assert(
    fc.property(
      fc.dictionary(
        fc.constantFrom(
          'type',
          'properties',
          'required',
          'items',
          'enum',
          '$ref',
          '$id',
          'pattern',
          'allOf',
          'format',
          'minimum',
          '$async',
        ),
        fc.jsonValue({ maxDepth: 3 }),
      ),
      (parameters) => {
        located(
          check({
            'tools/find.yaml': stringify({
              name: 'find',
              description: 'x',
              client: true,
              parameters: { type: 'object', ...parameters },
            }),
          }),
        );
      },
    ),
    { numRuns: 300 },
  );
});

test('the order in which an agent is written does not change its version', () => {
  const fields: [string, unknown][] = [
    ['name', 'Desk'],
    ['prompt', 'Be kind.'],
    ['languages', [{ code: 'en', name: 'English' }]],
    ['limits', { turns: 5, tokens: 2_000 }],
    ['tools', ['end_call']],
  ];
  const hashOfOrder = (order: readonly [string, unknown][]) =>
    check({ 'desk.yaml': stringify(Object.fromEntries(order)) }).agents[0]?.hash;
  fc.assert(
    fc.property(fc.shuffledSubarray(fields, { minLength: fields.length }), (order) => {
      expect(hashOfOrder(order)).toBe(hashOfOrder(fields));
    }),
  );
});

test('writing a default out does not change a version, and anything else does', () => {
  const hash = (more: string) => check({ 'desk.yaml': `${sound}${more}` }).agents[0]?.hash;
  expect(hash('limits: { turns: 200 }\n')).toBe(hash(''));
  expect(hash('# a comment\n')).toBe(hash(''));
  expect(hash('limits: { idleTimeout: 600s }\n')).toBe(hash(''));
  expect(hash('limits: { turns: 201 }\n')).not.toBe(hash(''));
});
