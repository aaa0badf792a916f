import { resolve } from 'node:path';
import type { Setting } from '../../services/settings/setting.ts';
import { settings } from '../../services/settings/settings.ts';
import { Fault } from '../toolchain/fault.ts';
import { readArguments } from '../toolchain/script.ts';

const root = resolve(import.meta.dirname, '../..');

interface Option {
  flag: string;
  setting: Setting;
  says: string;
}

const portOptions = {
  port: { flag: 'port', setting: settings.port, says: 'the API and the try-it page' },
  internalPort: {
    flag: 'internal-port',
    setting: settings.internalPort,
    says: 'probes, metrics and room events, with those after it',
  },
  demoToolsPort: {
    flag: 'demo-tools-port',
    setting: settings.demoToolsPort,
    says: "the demo agents' tool endpoints",
  },
  postgresPort: { flag: 'postgres-port', setting: settings.postgresPort, says: 'PostgreSQL' },
  roomPort: { flag: 'room-port', setting: settings.roomPort, says: 'the room server' },
  roomUdpPort: { flag: 'room-udp-port', setting: settings.roomUdpPort, says: "the room server's media (UDP)" },
} satisfies Record<string, Option>;

const otherOptions = {
  data: { flag: 'data', setting: settings.dataFolder, says: 'folder of database, logs and secrets' },
  agents: { flag: 'agents', setting: settings.agentsFolder, says: 'folder of the agents' },
  agentHosts: {
    flag: 'agent-hosts',
    setting: settings.agentHostCount,
    says: 'agent host processes; with 2, one takes over when the other dies',
  },
  speech: {
    flag: 'speech',
    setting: settings.localSpeech,
    says: 'natural fetches voices and dictation once (some 500 MB), simple does without',
  },
  sipPort: { flag: 'sip-port', setting: settings.sipPort, says: 'telephones (UDP), with --phone' },
} satisfies Record<string, Option>;

const options: Record<string, Option> = { ...portOptions, ...otherOptions };

const fallbackOf = ({ setting }: Option): string => String(setting.readBy.start);

export type PortName = keyof typeof portOptions;

export interface StartOptions {
  ports: Record<PortName, number>;
  dataFolder: string;
  /** Undefined when the agents come from a Git repository. */
  agentsFolder: string | undefined;
  /** The folder or the repository, for sentences. */
  agentsFrom: string;
  agentHosts: number;
  /** Whether models are fetched for agents that hear or speak on this machine. */
  hasNaturalSpeech: boolean;
  /** Where telephones call; undefined without a telephone. */
  sipPort: number | undefined;
}

/** The worker reads it; where it is set there is no folder to read (docs/write-agents/agents-in-git.md). */
const repositoryVariable = settings.repository.settings.url.name;

/** Reads flags, then variables, then defaults; `help` when --help was given. Throws a Fault that names what is wrong. */
export function readOptions(args: readonly string[], env: NodeJS.ProcessEnv): StartOptions | 'help' {
  const flags = parseFlags(args);
  if (flags.help) return 'help';
  const text = (option: Option) => String(flags[option.flag] ?? (env[option.setting.name] || fallbackOf(option)));
  const whole = (option: Option) => wholeNumber(option, text(option));
  const ports = Object.fromEntries(
    Object.entries(portOptions).map(([name, option]) => [name, whole(option)]),
  ) as Record<PortName, number>;
  const path = (option: Option) => {
    const given = text(option);
    // npm runs us in the repository; a path on the command line is meant from where the person stands.
    return resolve(given === fallbackOf(option) ? root : (env.INIT_CWD ?? process.cwd()), given);
  };
  const repository = env[repositoryVariable];
  const { flag, setting } = otherOptions.agents;
  if (repository && (flags[flag] !== undefined || env[setting.name]))
    throw new Fault(`--${flag} (${setting.name}) and ${repositoryVariable} are both given: choose one of them.`);
  const agentsFolder = repository ? undefined : path(otherOptions.agents);
  return {
    ports,
    dataFolder: path(otherOptions.data),
    agentsFolder,
    agentsFrom: agentsFolder ?? repository ?? '',
    agentHosts: whole(otherOptions.agentHosts),
    hasNaturalSpeech: choice(otherOptions.speech, text(otherOptions.speech)) === 'natural',
    sipPort: flags.phone ? whole(otherOptions.sipPort) : undefined,
  };
}

function parseFlags(args: readonly string[]): Record<string, string | boolean | undefined> {
  const strings = Object.values(options).map(({ flag }) => [flag, { type: 'string' as const }]);
  const { values } = readArguments({
    args: [...args],
    options: { ...Object.fromEntries(strings), phone: { type: 'boolean' }, help: { type: 'boolean', short: 'h' } },
  });
  return values as Record<string, string | boolean | undefined>;
}

function wholeNumber({ flag, setting: { name, parse, holds } }: Option, text: string): number {
  const number = parse(text, {});
  if (typeof number === 'number') return number;
  throw new Fault(`--${flag} (${name}) is "${text}": give ${holds}.`);
}

function choice({ flag, setting: { name, parse, holds } }: Option, text: string): unknown {
  const chosen = parse(text, {});
  if (typeof chosen === 'string') return chosen;
  throw new Fault(`--${flag} (${name}) is "${text}": give ${holds}.`);
}

/** How to choose another port, for the sentence that says that one is taken. */
export function howToChange(port: PortName): string {
  const { flag, setting } = portOptions[port];
  return `--${flag} or ${setting.name}`;
}

export const howToChangeSipPort = `--${otherOptions.sipPort.flag} or ${settings.sipPort.name}`;

export const portPurpose = (port: PortName): string => portOptions[port].says;

export function helpText(): string {
  const line = (option: Option) =>
    `  --${option.flag.padEnd(17)} ${option.setting.name.padEnd(23)} ${fallbackOf(option).padEnd(8)} ${option.says}`;
  return [
    'Usage: npm start -- [options]',
    '',
    'Starts everything on this machine, on 127.0.0.1 only, and stops it on Ctrl-C.',
    '',
    `  ${'option'.padEnd(19)} ${'variable'.padEnd(23)} ${'default'.padEnd(8)}`,
    ...Object.values(options).map(line),
    `  --${'phone'.padEnd(17)} also a SIP bridge, built once (some 3 minutes), that a softphone can call`,
    '',
    `With ${repositoryVariable} the agents come from that repository instead of a folder.`,
    "Variables may also stand in a file .env here; so may a model's key, such as OPENAI_API_KEY.",
  ].join('\n');
}
