import { describe, expect, test } from 'vitest';
import { type CheckOptions, checkFiles } from '../check-files.ts';

const sound = 'name: Desk\nprompt: Be kind.\n';
const english = 'languages: [{ code: en, name: English }]\n';

const faultsOf = (more: string, options: CheckOptions = {}): string[] =>
  checkFiles(new Map([['desk.yaml', sound + more]]), options).faults.map(
    ({ line, column, severity, message }) => `${line}:${column} ${severity} ${message}`,
  );

describe('models', () => {
  test.each(['google', 'anthropic'])('of %s are refused while nothing here can use them', (provider) => {
    expect(faultsOf(`${english}model: { provider: ${provider} }\n`)).toEqual([
      expect.stringMatching(/^4:20 error The model provider "\w+" is not built in yet\. Use openai/),
    ]);
    expect(faultsOf(`${english}model: { fallbacks: [{ provider: ${provider} }] }\n`)[0]).toMatch(/^4:34 error/);
  });

  test('that follow a script need one', () => {
    expect(faultsOf(`${english}model: { provider: scripted }\n`)[0]).toMatch(/^4:20 error .*"script"/);
    const script = 'script: { rules: [{ when: x, say: y }], fallback: z }\n';
    expect(faultsOf(`${english}model: { provider: scripted }\n${script}`)).toEqual([]);
  });

  test('that the plugin does not know are questioned, with the nearest name', () => {
    expect(faultsOf(`${english}model: { name: gpt-4o-mni }\n`)).toEqual([
      '4:16 warning The openai plugin knows no model "gpt-4o-mni"; leave this if the provider has it. Did you mean "gpt-4o-mini"?',
    ]);
    expect(faultsOf(`${english}model: { name: gpt-4o-mini }\n`)).toEqual([]);
    const ofOnesOwn = `${english}model: { name: llama3, baseUrl: "http://127.0.0.1:11434/v1" }\n`;
    expect(faultsOf(ofOnesOwn, { environment: 'development' })).toEqual([]);
    const nameless = `${english}model: { baseUrl: "http://127.0.0.1:11434/v1" }\n`;
    expect(faultsOf(nameless, { environment: 'development' })).toEqual([
      '4:19 warning A server of your own has models of its own: give the "name" of one, or it is asked for the usual one of openai.',
    ]);
  });

  test('of recognition and synthesis are questioned too', () => {
    const speech = (model: string) =>
      faultsOf(
        `${english}speech:\n  recognition: [{ provider: openai, model: ${model} }]\n  synthesis: [{ provider: openai, model: ${model} }]\n`,
      );
    expect(speech('whisper1')).toEqual([expect.stringContaining('"whisper-1"'), expect.stringContaining('tts-1')]);
  });

  test.each([
    ['deepgram', 'nova-3', 'aura-2-thalia'],
    ['elevenlabs', 'scribe_v2', 'eleven_v4'],
    ['cartesia', 'ink-2', 'sonic-33'],
  ])('of %s are those of its plugin', (provider, recognition, synthesis) => {
    const speech = `speech: { recognition: [{ provider: ${provider}, model: ${recognition} }], synthesis: [{ provider: ${provider}, model: ${synthesis} }] }\n`;
    expect(faultsOf(english + speech)).toEqual([
      expect.stringMatching(`warning The ${provider} plugin knows no model "${synthesis}".*Did you mean`),
    ]);
  });
});

describe('an address of a model or of speech', () => {
  const model = (baseUrl: string) => `${english}model: { baseUrl: "${baseUrl}", name: llama3 }\n`;
  const production = (providerHosts?: string[]) => ({ environment: 'production' as const, providerHosts });

  test.each([
    ['http://169.254.169.254/v1', 'The address must begin with https://'],
    ['https://169.254.169.254/v1', 'The address leads inside'],
    ['https://[::ffff:10.0.0.1]/v1', 'The address leads inside'],
    ['https://2130706433/v1', 'The address leads inside'],
    ['https://localhost/v1', 'The address leads inside'],
    ['http://models.example.com/v1', 'The address must begin with https://'],
    ['https://user:pass@models.internal/v1', 'must not hold a user name'],
  ])('%s is refused in production, wherever it stands', (baseUrl, why) => {
    const places = [
      model(baseUrl),
      `${english}model: { fallbacks: [{ provider: openai, baseUrl: "${baseUrl}" }] }\n`,
      `${english}realtime: { baseUrl: "${baseUrl}", apiKey: { env: KEY } }\n`,
      `${english}speech: { synthesis: [{ provider: cartesia, baseUrl: "${baseUrl}", apiKey: { env: KEY } }] }\n`,
    ];
    for (const file of places) expect(faultsOf(file, production([])).join()).toContain(why);
  });

  test('may be inside and without https where the operator lists its host, and is only questioned where nobody knows the list', () => {
    const inside = model('http://models.internal:8000/v1');
    expect(faultsOf(inside, production(['models.internal:8000']))).toEqual([]);
    expect(faultsOf(inside, production(['models.internal:8001']))).toEqual([
      '4:19 error The address must begin with https://, unless the operator lists models.internal:8000 in PARLEY_PROVIDER_HOSTS.',
    ]);
    expect(faultsOf(inside, production())).toEqual([expect.stringContaining('4:19 warning The address must')]);
    expect(faultsOf(model('https://models.example.com/v1'), production([]))).toEqual([]);
    expect(faultsOf(model('http://localhost:11434/v1'), { environment: 'development', providerHosts: [] })).toEqual([]);
  });
});

test('a server of one’s own for speech is given a key of its own, and never the one of the provider’s account', () => {
  const recognition = (fields: string) =>
    faultsOf(`${english}speech: { recognition: [{ provider: deepgram, ${fields} }] }\n`);
  expect(recognition('baseUrl: "https://speech.example.com"')).toEqual([
    '4:56 error The usual key of deepgram is for deepgram only: name the key of this server as "apiKey".',
  ]);
  expect(recognition('baseUrl: "https://speech.example.com", apiKey: { env: OURS }')).toEqual([]);
  expect(faultsOf(`${english}realtime: { baseUrl: "https://speech.example.com" }\n`)).toHaveLength(1);
  expect(faultsOf(`${english}realtime: { baseUrl: "https://eu.api.openai.com/v1" }\n`)).toEqual([]);
});

test('voices are compared with those of their provider', () => {
  const voice = (fields: string, more = '') =>
    faultsOf(`languages:\n  - { code: en, name: E, voices: [{ ${fields}, name: V, default: true }] }\n${more}`);
  expect(voice('id: aloy, provider: openai')).toEqual([
    '4:41 warning The openai plugin knows no voice "aloy"; leave this if the provider has it. Did you mean "alloy"?',
  ]);
  expect(voice('id: v1, model: alloy, provider: openai')).toEqual([]);
  expect(voice('id: v1', 'speech: { synthesis: [{ provider: openai }] }\n')).toHaveLength(1);
  expect(voice('id: aura-2-thalia, provider: deepgram')).toEqual([
    expect.stringMatching(/no voice "aura-2-thalia".*aura-/),
  ]);
  expect(voice('id: aura-2-vega-en, provider: deepgram')).toEqual([]);
  // Ids of an account, which no plugin can know.
  for (const provider of ['cartesia', 'elevenlabs']) expect(voice(`id: v1, provider: ${provider}`)).toEqual([]);
});

test('who recognises or speaks in some languages does so in those of the agent', () => {
  const speech = (code: string) =>
    faultsOf(`${english}speech: { synthesis: [{ provider: openai, languages: [${code}] }] }\n`);
  expect(speech('EN')).toEqual([]);
  expect(speech('fr')).toEqual(['4:55 error The agent does not speak "fr"; its languages are en.']);
  // A voice that does not say whose it is: openai speaks another language.
  const german =
    'languages: [{ code: de, name: D, voices: [{ id: de, name: V, default: true }] }, { code: en, name: E }]\n';
  expect(faultsOf(`${german}speech: { synthesis: [{ provider: openai, languages: [en] }] }\n`)).toEqual([]);
});

test('voices of this machine are those of espeak-ng', () => {
  const voice = (fields: string) =>
    faultsOf(`languages: [{ code: en, name: English, voices: [{ name: V, default: true, ${fields} }] }]\n`);
  for (const known of ['id: de', 'id: en', 'id: v1, model: en-us+f3', 'id: v1, model: cmn, provider: local'])
    expect(voice(known)).toEqual([]);
  expect(voice('id: v1')).toEqual([expect.stringMatching(/warning espeak-ng has no voice "v1", so the default one/)]);
});

test('variables in what is said word for word are refused at their place', () => {
  expect(
    faultsOf(
      'languages:\n  - code: en\n    name: E\n    greeting: It is {{date}}.\n    lines: { limitReached: "{{x}}" }\n',
    ),
  ).toEqual([
    expect.stringMatching(/^6:21 error This text is said as it is written, \{\{date\}\} included/),
    expect.stringMatching(/^7:29 error /),
  ]);
});
