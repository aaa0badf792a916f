import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { checkFiles } from '../check-files.ts';
import { concerns } from './consent.ts';
import { isAllowedHost } from './hosts.ts';
import { loadPolicies } from './load.ts';

const sound = `name: Desk
prompt: Be kind.
languages:
  - code: de-AT
    name: Deutsch
    greeting: Grüß Gott!
`;

const tool = (url: string) => `name: find
description: Finds a thing.
parameters: { type: object, properties: { id: { type: string } } }
http:
  url: ${url}
`;

/** `file:line:column rule message` of each fault of an agent under these policies. */
function faultsOf(policies: string, more = '', files: Record<string, string> = {}): string[] {
  const texts = { 'policies.yaml': policies, 'desk.yaml': `${sound}${more}`, ...files };
  const { faults, agents } = checkFiles(new Map(Object.entries(texts)));
  expect(agents).toHaveLength(faults.some(({ severity }) => severity === 'error') ? 0 : 1);
  return faults.map(({ file, line, column, rule, message }) => `${file}:${line}:${column} ${rule} ${message}`);
}

const script = 'script: { rules: [{ when: x, say: y }], fallback: z }\n';

describe('the rules of the operator', () => {
  test('tools call allowed hosts only, and the fault stands in the tool', () => {
    const policies = 'toolHosts: { hosts: [api.example.com, "*.example.org"], variables: [TOOLS_URL] }\n';
    const withTool = (url: string) => faultsOf(policies, 'tools: [find]\n', { 'tools/find.yaml': tool(url) });
    expect(withTool('https://API.example.com/x/{{id}}')).toEqual([]);
    expect(withTool('https://a.b.example.org')).toEqual([]);
    expect(withTool('{ env: TOOLS_URL, path: /x }')).toEqual([]);
    expect(withTool('https://api.exemple.com/x')).toEqual([
      'tools/find.yaml:5:8 policy:toolHosts The operator does not allow the host "api.exemple.com". Did you mean "api.example.com"? (policy toolHosts)',
    ]);
    expect(withTool('{ env: OTHER, path: /x }')).toEqual([
      'tools/find.yaml:5:15 policy:toolHosts The operator does not allow an address from the variable OTHER. Allowed: TOOLS_URL. (policy toolHosts)',
    ]);
  });

  test('a tool at fault refuses every agent that has it, and is told of once', () => {
    const result = checkFiles(
      new Map([
        ['policies.yaml', 'toolHosts: {}\n'],
        ['a.yaml', `${sound}tools: [find]\n`],
        ['b.yaml', `${sound}tools: [find]\n`],
        ['c.yaml', sound],
        ['tools/find.yaml', tool('https://example.com')],
      ]),
    );
    expect(result.agents.map(({ agent }) => agent.agent)).toEqual(['c']);
    expect(result.faults).toHaveLength(1);
  });

  test.each([
    ['https://example.com.evil.org', false],
    ['https://example.com@evil.org', false],
    ['https://example.com', true],
    ['https://example.com.', true],
  ])('a host is compared whole: %s', (url, allowed) => {
    const faults = faultsOf('webhookHosts: { hosts: [example.com] }\n', `webhook: { url: "${url}/hook" }\n`);
    expect(faults.length === 0).toBe(allowed);
  });

  test('a wildcard stands for what is below', () => {
    const allowed = ['*.example.com'];
    expect(['a.example.com', 'a.b.example.com'].every((host) => isAllowedHost(host, allowed))).toBe(true);
    expect(['example.com', 'evilexample.com', '.example.com'].some((host) => isAllowedHost(host, allowed))).toBe(false);
  });

  test('a webhook goes to allowed hosts only', () => {
    expect(faultsOf('webhookHosts: { hosts: [a.example] }\n', 'webhook:\n  url: https://b.test/x\n')).toEqual([
      'desk.yaml:8:8 policy:webhookHosts The operator does not allow the host "b.test". Allowed: a.example. (policy webhookHosts)',
    ]);
  });

  test('a greeting has the sentence that its country needs', () => {
    const policies = 'consent: [{ countries: [AT], says: "wird\n  aufgezeichnet" }]\n';
    expect(faultsOf(policies)).toEqual([
      'desk.yaml:6:15 policy:consent The greeting in "de-AT" must contain the operator\'s sentence "wird aufgezeichnet". (policy consent)',
    ]);
    expect(faultsOf(policies.replace('AT', 'DE'))).toEqual([]);
    expect(faultsOf('consent: [{ languages: [de], says: "grüß gott" }]\n')).toEqual([]);
  });

  test('languages and countries are parts of the code', () => {
    expect(concerns('de', { languages: ['de'], countries: [] })).toBe(true);
    expect(concerns('de-CH', { languages: ['DE'], countries: [] })).toBe(true);
    expect(concerns('den', { languages: ['de'], countries: [] })).toBe(false);
    expect(concerns('de', { languages: ['de-AT'], countries: ['DE'] })).toBe(false);
    expect(concerns('fr', { languages: [], countries: [] })).toBe(true);
  });

  test('models process in allowed regions only', () => {
    const policies = 'providerRegions: { allow: [eu], hosts: { models.example: eu } }\n';
    const silent = 'interactionMode: TEXT\nsessions: { microphone: false }\n';
    expect(faultsOf(policies, silent)).toEqual([
      'desk.yaml:1:1 policy:providerRegions "auto" may become openai, which processes in "us". The operator allows eu only. (policy providerRegions)',
    ]);
    expect(faultsOf(policies, `${silent}${script}model: { provider: scripted }\n`)).toEqual([]);
    const model = (url: string) => `${silent}model: { provider: openai, baseUrl: "${url}", name: ours }\n`;
    expect(faultsOf(policies, model('https://eu.api.openai.com/v1'))).toEqual([]);
    expect(faultsOf(policies, model('https://models.example/v1'))).toEqual([]);
    expect(faultsOf(policies, model('https://else.example/v1'))[0]).toMatch(/^desk\.yaml:9:37 .*Nobody has said/);
    const fallback = `${silent}model: { provider: scripted, fallbacks: [{ provider: openai }] }\n${script}`;
    expect(faultsOf(policies, fallback)[0]).toMatch(/^desk\.yaml:9:54 .*"openai" processes in "us"/);
    expect(faultsOf(policies.replace('hosts', 'providers: { openai: eu }, hosts'), fallback)).toEqual([]);
  });

  test('an agent that can be spoken to must name who hears it', () => {
    const model = `model: { provider: scripted }\n${script}`;
    const found = faultsOf('providerRegions: { allow: [eu] }\n', model);
    expect(found).toHaveLength(2);
    const local = `${model}speech: { recognition: [{ provider: local }], synthesis: [{ provider: local }] }\n`;
    expect(faultsOf('providerRegions: { allow: [eu] }\n', local)).toEqual([]);
  });

  test('what is spoken is not kept for long', () => {
    const policies = 'voiceRetention: { max: 30d }\n';
    expect(faultsOf(policies, 'retention: 31d\n')[0]).toMatch(/^desk\.yaml:7:12 policy:voiceRetention /);
    expect(faultsOf(policies, 'retention: 720h\n')).toEqual([]);
    expect(faultsOf(policies, 'interactionMode: TEXT\n')).toHaveLength(1);
    expect(faultsOf(policies, 'interactionMode: TEXT\nsessions: { microphone: false }\n')).toEqual([]);
  });

  test('caps are set, and a cap that is missing is missed in limits', () => {
    const policies = 'caps: { minutesPerMonth: 5000 }\n';
    expect(faultsOf(policies, 'limits:\n  turns: 5\n')).toEqual([
      'desk.yaml:7:1 policy:caps "limits.minutesPerMonth" must be set to at most 5000; it is 1000000. (policy caps)',
    ]);
    expect(faultsOf(policies, 'limits: { minutesPerMonth: 5000 }\n')).toEqual([]);
    const share = 'caps: { fleetShare: 50 }\n';
    expect(faultsOf(share, 'limits: { fleetShare: 50 }\n')).toEqual([]);
    expect(faultsOf(share, 'limits: { fleetShare: 51 }\n')[0]).toMatch(/must be set to at most 50/);
  });

  test('nobody replaces the prompt of an agent whose key is public', () => {
    const widget = 'widget: {}\nsessions:\n  systemPrompt: ';
    expect(faultsOf('widgetPrompt: {}\n', `${widget}signed\n`)).toEqual([]);
    expect(faultsOf('widgetPrompt: { allow: [never] }\n', `${widget}signed\n`)[0]).toMatch(/^desk\.yaml:9:17 /);
    expect(faultsOf('widgetPrompt: {}\n')).toEqual([]);
  });
});

describe('policies.yaml', () => {
  test('is no agent, and its own mistakes are told with their place', () => {
    const faultIn = (text: string) =>
      checkFiles(new Map([['policies.yaml', text]])).faults.map(({ line, column, message }) => [line, column, message]);
    expect(faultIn('toolHost: {}\n')).toEqual([[1, 1, 'There is no field "toolHost". Did you mean "toolHosts"?']]);
    expect(faultIn('caps: { minutesPerMonth: many }\n')).toMatchObject([[1, 26, expect.any(String)]]);
    expect(checkFiles(new Map([['policies.yaml', 'caps: { tokensPerDay: 1000 }\n']]))).toMatchObject({
      agents: [],
      faults: [],
    });
  });
});

describe("the operator's own folder", () => {
  async function folderOf(files: Record<string, string>): Promise<string> {
    const folder = await mkdtemp(join(tmpdir(), 'parley-policies-'));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
    return folder;
  }

  const desk = new Map([['desk.yaml', sound]]);

  test('a rule in a file of TypeScript refuses an agent at the field it names', async () => {
    const folder = await folderOf({
      'short-names.ts': `
        export const policy = (agent: { name: string }) =>
          agent.name.length > 3 ? [{ path: ['name'], message: 'Names are short here.' }] : [];`,
    });
    const { faults, agents } = checkFiles(desk, { policies: await loadPolicies(folder) });
    expect(agents).toEqual([]);
    expect(faults).toMatchObject([{ file: 'desk.yaml', line: 1, column: 7, rule: 'policy:short-names' }]);
  });

  test.each([
    ['throws', 'export const policy = () => { throw new Error("no idea"); };', 'no idea'],
    ['answers later', 'export const policy = async () => [];', 'at once'],
    ['answers nothing', 'export const policy = () => undefined;', 'list of'],
  ])('a rule that %s refuses the agent', async (_what, text, reason) => {
    const { faults } = checkFiles(desk, { policies: await loadPolicies(await folderOf({ 'odd.ts': text })) });
    expect(faults.map(({ message }) => message).join()).toContain(reason);
  });

  test('its policies.yaml holds in addition to the one beside the agents', async () => {
    const policies = await loadPolicies(await folderOf({ 'policies.yaml': 'caps: { tokensPerDay: 1000 }\n' }));
    const texts = new Map([...desk, ['policies.yaml', 'caps: { tokensPerDay: 10000000000 }\n']]);
    expect(checkFiles(texts, { policies }).faults).toHaveLength(1);
  });

  test('a folder that cannot be used is refused with the place', async () => {
    await expect(loadPolicies('/nowhere/at/all')).rejects.toThrow('no folder that can be read');
    await expect(loadPolicies(await folderOf({}))).rejects.toThrow('neither');
    await expect(loadPolicies(await folderOf({ 'policies.yaml': 'cap: {}\n' }))).rejects.toThrow(/policies\.yaml:1:1/);
    await expect(loadPolicies(await folderOf({ 'x.ts': 'export const rule = 1;' }))).rejects.toThrow('named policy');
    expect(await loadPolicies(undefined)).toEqual([]);
  });
});
