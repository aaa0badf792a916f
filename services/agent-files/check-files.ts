/** From the texts of an agents folder to agents and faults; pure, so that an editor can check what is not saved yet. */
import type { AgentFile } from '../contract/generated/agent.ts';
import type { PoliciesFile } from '../contract/generated/policies.ts';
import type { Scenario, ScenarioFile } from '../contract/generated/scenario.ts';
import type { ToolFile } from '../contract/generated/tool.ts';
import {
  type Validator,
  validateAgentFile,
  validatePoliciesFile,
  validateScenarioFile,
  validateToolFile,
} from '../contract/schemas.ts';
import { explainAll, withoutEchoes } from '../contract/wording.ts';
import { checkAgent } from './check/agent.ts';
import { checkScenarios } from './check/scenarios.ts';
import { findSecrets, issuedSecretIn } from './check/secrets.ts';
import { checkServers } from './check/servers.ts';
import { type Sound, soundnessOf } from './check/soundness.ts';
import { checkTool } from './check/tool.ts';
import { checkVariables } from './check/variables.ts';
import type { Environment } from './check/webhook-url.ts';
import { type AgentSource, compileVersion } from './compile/compile.ts';
import { hashOf } from './compile/hash.ts';
import type { AgentVersion } from './definition/compiled.ts';
import { byPosition, type Fault, type Finding, isError } from './faults.ts';
import { enabledPolicies } from './policies/enabled.ts';
import { distinctFaults, type Refusal, refusals } from './policies/faults.ts';
import type { NamedPolicy } from './policies/policy.ts';
import { readDocument, type SourceDocument } from './read/document.ts';
import { FileMemory } from './read/file-memory.ts';
import { positionOf, type ScenarioPosition, scenarioFile } from './scenarios/position.ts';

export interface CheckOptions {
  /** In development tools and webhooks may point to this machine. Default production. */
  environment?: Environment;
  /** Whether the tenant's webhook feature is on. Default true. */
  webhookEnabled?: boolean;
  /** Rules of the operator from outside the agents' files, in addition to those of policies.yaml. Default none. */
  policies?: readonly NamedPolicy[];
  /** Names of the variables that agents may refer to. Default: not known here, and not checked. */
  variables?: readonly string[] | undefined;
  /** Hosts of the operator's own that models and speech may be at. Default: not known here, and what they might allow is a warning. */
  providerHosts?: readonly string[] | undefined;
  /** Of an earlier check of the same folder. Default none. */
  memory?: FileMemory;
}

export interface LoadResult {
  /** Agents without an error in their own file or one they refer to, and that keep every policy; by name. */
  agents: AgentVersion[];
  /** All faults of all files, by position. A revision may be activated when none is an error. */
  faults: Fault[];
  /** Scenarios without faults; they are no part of a version. */
  scenarios: AgentScenarios[];
}

export interface AgentScenarios {
  agent: string;
  scenarios: Scenario[];
  /** Where a scenario stands, or one of its turns. */
  positionOf(at: ScenarioPosition): Pick<Fault, 'file' | 'line' | 'column'>;
}

/** The operator's rules over the agents beside it; no agent can have this name. */
export const policiesFileName = 'policies.yaml';

/** File names of agents are ids in addresses and logs. */
const agentFileName = /^([a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)\.yaml$/;

/** `texts` by path within the folder, with forward slashes. Never throws. */
export function checkFiles(texts: ReadonlyMap<string, string>, options: CheckOptions = {}): LoadResult {
  const { environment = 'production', webhookEnabled = true, policies: own = [], memory = new FileMemory() } = options;
  const { variables, providerHosts } = options;
  memory.begin();
  const knowledge = filesIn(texts, 'knowledge/', '.md');
  const toolTexts = filesIn(texts, 'tools/', '.yaml');
  const tools = checkTools(toolTexts, { environment, variables }, memory);
  const toolNames = [...toolTexts.keys()].map(withoutExtension);
  const parameters = new Map(
    [...tools].flatMap(([name, { value }]) => (value ? [[name, value.parameters] as const] : [])),
  );
  const surroundings = { environment, webhookEnabled, knowledge, tools: toolNames, parameters };
  const beside = hashOf([
    environment,
    webhookEnabled,
    variables ?? null,
    providerHosts ?? null,
    [...toolTexts],
    [...knowledge],
  ]);
  const agents = agentFiles(texts).map(({ name, file, text }) =>
    memory.recall(file, [text, beside], () => {
      const checked = checkDocument<AgentFile>(file, text, validateAgentFile, (value, sound) => [
        ...checkAgent(value, sound, surroundings),
        ...checkVariables(value, variables),
        ...checkServers(value, { isDevelopment: environment === 'development', hosts: providerHosts }),
      ]);
      return { name, ...checked, version: checked.value && compiled(name, checked.value, tools, knowledge) };
    }),
  );
  const known = new Map(agents.flatMap(({ name, value }) => (value ? [[name, value] as const] : [])));
  const scenarios = checkScenarioFiles(texts, {
    agents: known,
    names: new Set(agents.map(({ name }) => name)),
    memory,
  });
  const policies = checkPolicies(texts);
  const versions = agents.flatMap(({ version }) => version ?? []);
  const refused = refusedBy([...policies.enabled, ...own], versions, agents, tools);
  const refusedNames = new Set(refused.map(({ agent }) => agent));
  return {
    agents: versions.filter(({ agent }) => !refusedNames.has(agent.agent)),
    scenarios: scenarios.flatMap(({ name, value }) => (value ? [scenariosOf(name, value, texts)] : [])),
    faults: [
      ...misnamedAgents(texts),
      ...secretsInKnowledge(knowledge),
      ...policies.faults,
      ...distinctFaults(refused),
      ...[...tools.values(), ...agents, ...scenarios].flatMap(({ faults }) => faults),
    ].toSorted(byPosition),
  };
}

/** A file that was read: its value when it has no error, its faults, and where its parts stand. */
interface Checked<File> {
  value?: File;
  faults: Fault[];
  locate: SourceDocument['locate'];
}

/** The rules that policies.yaml switches on; none when the file is not there or has faults, which refuse the revision. */
function checkPolicies(texts: ReadonlyMap<string, string>): { enabled: NamedPolicy[]; faults: Fault[] } {
  const text = texts.get(policiesFileName);
  return text === undefined ? { enabled: [], faults: [] } : readPolicies(policiesFileName, text);
}

/** The rules that the text of a policies file switches on, and what is wrong with it. */
export function readPolicies(file: string, text: string): { enabled: NamedPolicy[]; faults: Fault[] } {
  const { value, faults } = checkDocument<PoliciesFile>(file, text, validatePoliciesFile, () => []);
  return { enabled: value ? enabledPolicies(value) : [], faults };
}

function refusedBy(
  policies: readonly NamedPolicy[],
  versions: readonly AgentVersion[],
  agents: readonly ({ name: string } & Checked<AgentFile>)[],
  tools: ReadonlyMap<string, Checked<ToolFile>>,
): Refusal[] {
  if (policies.length === 0) return [];
  const files = new Map(agents.map((agent) => [agent.name, agent]));
  const positioned = (file: Checked<unknown> | undefined, name: string, finding: Finding): Fault =>
    file ? file.locate(finding) : wholeFile(name, finding.rule, finding.message);
  return refusals(
    versions.map(({ agent }) => agent),
    policies,
    {
      inAgent: (agent, finding) => positioned(files.get(agent), `${agent}.yaml`, finding),
      inTool: (tool, finding) => positioned(tools.get(tool), `tools/${tool}.yaml`, finding),
    },
  );
}

function checkDocument<File>(
  file: string,
  text: string,
  validate: Validator<File>,
  check: (value: File, sound: Sound) => Finding[],
): Checked<File> {
  const document = readDocument(file, text);
  const { value } = document;
  // Read again when it is asked, which is hardly ever: results are kept, and the document would be the most of them.
  const locate: SourceDocument['locate'] = (finding) => readDocument(file, text).locate(finding);
  if (document.faults.some(isError)) return { faults: document.faults, locate };
  const secrets = findSecrets(value);
  const explanations = validate(value) ? [] : explainAll(validate.errors ?? []);
  const findings = [
    ...secrets,
    ...withoutEchoes(explanations).filter(({ path }) => !secrets.some((secret) => samePath(secret.path, path))),
  ];
  if (isMap(value)) findings.push(...check(value as File, soundnessOf(explanations)));
  const faults = located(document, findings);
  return faults.some(isError) ? { faults, locate } : { value: value as File, faults, locate };
}

const samePath = (a: readonly string[], b: readonly string[]): boolean => a.join('/') === b.join('/');

const isMap = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const located = (document: SourceDocument, findings: readonly Finding[]): Fault[] => [
  ...document.faults,
  ...findings.map((finding) => document.locate(finding)),
];

/** Files directly in a folder, by file name and in its order. */
function filesIn(texts: ReadonlyMap<string, string>, folder: string, extension: string): Map<string, string> {
  const files = [...texts].filter(([file]) => file.startsWith(folder) && file.endsWith(extension));
  const sorted = files.toSorted(([a], [b]) => (a < b ? -1 : 1));
  return new Map(sorted.map(([file, text]) => [file.slice(folder.length), text]));
}

const withoutExtension = (fileName: string): string => fileName.replace(/\.yaml$/, '');

function agentFiles(texts: ReadonlyMap<string, string>): { name: string; file: string; text: string }[] {
  return [...texts]
    .flatMap(([file, text]) => {
      const name = agentFileName.exec(file)?.[1];
      return name === undefined || file === policiesFileName ? [] : [{ name, file, text }];
    })
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

const misnamedAgents = (texts: ReadonlyMap<string, string>): Fault[] =>
  [...texts.keys()]
    .filter((file) => !file.includes('/') && file.endsWith('.yaml') && !agentFileName.test(file))
    .map((file) =>
      wholeFile(
        file,
        'agent-name',
        "The file's name is the agent's id: lower-case letters, digits and hyphens, at most 63, such as front-desk.yaml.",
      ),
    );

/** A fault of a file as a whole. */
export const wholeFile = (file: string, rule: string, message: string): Fault => ({
  file,
  line: 1,
  column: 1,
  rule,
  message,
  severity: 'error',
});

function checkTools(
  files: ReadonlyMap<string, string>,
  { environment, variables }: { environment: Environment; variables: CheckOptions['variables'] },
  memory: FileMemory,
): Map<string, Checked<ToolFile>> {
  const checked = [...files].map(([fileName, text]) => {
    const name = withoutExtension(fileName);
    const file = `tools/${fileName}`;
    const found = memory.recall(file, [text, environment, JSON.stringify(variables ?? null)], () =>
      checkDocument<ToolFile>(file, text, validateToolFile, (value, sound) => [
        ...checkTool(value, sound, name, environment),
        ...checkVariables(value, variables),
      ]),
    );
    return [name, found] as const;
  });
  return new Map(checked);
}

function compiled(
  agent: string,
  file: AgentFile,
  tools: ReadonlyMap<string, Checked<ToolFile>>,
  knowledge: AgentSource['knowledge'],
): AgentVersion | undefined {
  if (file.tools.some((name) => tools.get(name)?.faults.some(isError))) return undefined;
  const sound = [...tools].flatMap(([name, { value }]) => (value ? [[name, value] as const] : []));
  return compileVersion({ agent, file, tools: new Map(sound), knowledge });
}

interface ScenarioOwners {
  agents: ReadonlyMap<string, AgentFile>;
  /** Of all agents, faulty ones included. */
  names: ReadonlySet<string>;
  memory: FileMemory;
}

function checkScenarioFiles(
  texts: ReadonlyMap<string, string>,
  { agents, names, memory }: ScenarioOwners,
): ({ name: string } & Checked<ScenarioFile>)[] {
  return [...filesIn(texts, 'scenarios/', '.yaml')].map(([fileName, text]) => {
    const name = withoutExtension(fileName);
    const file = `scenarios/${fileName}`;
    const agent = agents.get(name);
    const subject = agent && { tools: agent.tools, languages: agent.languages.map(({ code }) => code) };
    const checked = memory.recall(file, [text, JSON.stringify(subject ?? null)], () =>
      checkDocument<ScenarioFile>(file, text, validateScenarioFile, (value, sound) =>
        subject && sound('scenarios') ? checkScenarios(value, subject) : [],
      ),
    );
    if (names.has(name)) return { name, ...checked };
    const message = `A scenario file is named after its agent, and there is no agent "${name}".`;
    const faults = [...checked.faults, wholeFile(file, 'scenario-agent', message)];
    return { name, faults, locate: checked.locate };
  });
}

function scenariosOf(agent: string, { scenarios }: ScenarioFile, texts: ReadonlyMap<string, string>): AgentScenarios {
  const file = scenarioFile(agent);
  return { agent, scenarios, positionOf: (at) => positionOf({ file, text: texts.get(file) ?? '' }, at) };
}

function secretsInKnowledge(knowledge: ReadonlyMap<string, string>): Fault[] {
  return [...knowledge].flatMap(([name, text]) => {
    const found = issuedSecretIn(text);
    if (found === undefined) return [];
    const before = text.slice(0, text.indexOf(found)).split('\n');
    const fault = wholeFile(
      `knowledge/${name}`,
      'secret',
      'This looks like a secret; the agent would tell it to anyone. Take it out.',
    );
    return [{ ...fault, line: before.length, column: (before.at(-1)?.length ?? 0) + 1 }];
  });
}
