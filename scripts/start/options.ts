import { resolve } from 'node:path';
import { Fault } from '../toolchain/fault.ts';
import { readArguments } from '../toolchain/script.ts';

const root = resolve(import.meta.dirname, '../..');

interface Setting {
  flag: string;
  variable: string;
  fallback: string;
  says: string;
}

const portSettings = {
  port: { flag: 'port', variable: 'PARLEY_PORT', fallback: '7800', says: 'the API and the try-it page' },
  internalPort: {
    flag: 'internal-port',
    variable: 'PARLEY_INTERNAL_PORT',
    fallback: '7801',
    says: 'probes, metrics and room events, with those after it',
  },
  demoToolsPort: {
    flag: 'demo-tools-port',
    variable: 'PARLEY_DEMO_TOOLS_PORT',
    fallback: '7810',
    says: "the demo agents' tool endpoints",
  },
  postgresPort: { flag: 'postgres-port', variable: 'PARLEY_POSTGRES_PORT', fallback: '7832', says: 'PostgreSQL' },
  roomPort: { flag: 'room-port', variable: 'PARLEY_ROOM_PORT', fallback: '7880', says: 'the room server' },
  roomUdpPort: {
    flag: 'room-udp-port',
    variable: 'PARLEY_ROOM_UDP_PORT',
    fallback: '7882',
    says: "the room server's media (UDP)",
  },
} satisfies Record<string, Setting>;

const otherSettings = {
  data: {
    flag: 'data',
    variable: 'PARLEY_DATA_DIR',
    fallback: '.parley',
    says: 'folder of database, logs and secrets',
  },
  agents: { flag: 'agents', variable: 'PARLEY_AGENTS_DIR', fallback: 'agents', says: 'folder of the agents' },
  agentHosts: {
    flag: 'agent-hosts',
    variable: 'PARLEY_AGENT_HOSTS',
    fallback: '2',
    says: 'agent host processes; with 2, one takes over when the other dies',
  },
} satisfies Record<string, Setting>;

const settings: Record<string, Setting> = { ...portSettings, ...otherSettings };

export type PortName = keyof typeof portSettings;

export interface StartOptions {
  ports: Record<PortName, number>;
  dataFolder: string;
  /** Undefined when the agents come from a Git repository. */
  agentsFolder: string | undefined;
  /** The folder or the repository, for sentences. */
  agentsFrom: string;
  agentHosts: number;
}

const mostAgentHosts = 8;
/** The worker reads it; where it is set there is no folder to read (docs/agents-in-git.md). */
const repositoryVariable = 'PARLEY_AGENTS_GIT_URL';

/** Reads flags, then variables, then defaults; `help` when --help was given. Throws a Fault that names what is wrong. */
export function readOptions(args: readonly string[], env: NodeJS.ProcessEnv): StartOptions | 'help' {
  const flags = parseFlags(args);
  if (flags.help) return 'help';
  const text = ({ flag, variable, fallback }: Setting) => String(flags[flag] ?? (env[variable] || fallback));
  const whole = (setting: Setting, most: number) => wholeNumber(setting, text(setting), most);
  const ports = Object.fromEntries(
    Object.entries(portSettings).map(([name, setting]) => [name, whole(setting, 65_535)]),
  ) as Record<PortName, number>;
  const path = (setting: Setting) => {
    const given = text(setting);
    // npm runs us in the repository; a path on the command line is meant from where the person stands.
    return resolve(given === setting.fallback ? root : (env.INIT_CWD ?? process.cwd()), given);
  };
  const repository = env[repositoryVariable];
  const { flag, variable } = otherSettings.agents;
  if (repository && (flags[flag] !== undefined || env[variable]))
    throw new Fault(`--${flag} (${variable}) and ${repositoryVariable} are both given: choose one of them.`);
  const agentsFolder = repository ? undefined : path(otherSettings.agents);
  return {
    ports,
    dataFolder: path(otherSettings.data),
    agentsFolder,
    agentsFrom: agentsFolder ?? repository ?? '',
    agentHosts: whole(otherSettings.agentHosts, mostAgentHosts),
  };
}

function parseFlags(args: readonly string[]): Record<string, string | boolean | undefined> {
  const strings = Object.values(settings).map(({ flag }) => [flag, { type: 'string' as const }]);
  const { values } = readArguments({
    args: [...args],
    options: { ...Object.fromEntries(strings), help: { type: 'boolean', short: 'h' } },
  });
  return values as Record<string, string | boolean | undefined>;
}

function wholeNumber({ flag, variable }: Setting, text: string, most: number): number {
  const number = Number(text);
  if (Number.isInteger(number) && number >= 1 && number <= most) return number;
  throw new Fault(`--${flag} (${variable}) is "${text}": give a whole number from 1 to ${most}.`);
}

/** How to choose another port, for the sentence that says that one is taken. */
export function howToChange(port: PortName): string {
  const { flag, variable } = portSettings[port];
  return `--${flag} or ${variable}`;
}

export const portPurpose = (port: PortName): string => portSettings[port].says;

export function helpText(): string {
  const line = ({ flag, variable, fallback, says }: Setting) =>
    `  --${flag.padEnd(17)} ${variable.padEnd(23)} ${fallback.padEnd(8)} ${says}`;
  return [
    'Usage: npm start -- [options]',
    '',
    'Starts everything on this machine, on 127.0.0.1 only, and stops it on Ctrl-C.',
    '',
    `  ${'option'.padEnd(19)} ${'variable'.padEnd(23)} ${'default'.padEnd(8)}`,
    ...Object.values(settings).map(line),
    '',
    `With ${repositoryVariable} the agents come from that repository instead of a folder.`,
    "Variables may also stand in a file .env here; so may a model's key, such as OPENAI_API_KEY.",
  ].join('\n');
}
