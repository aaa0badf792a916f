import { aText } from '../../process/environment.ts';
import { optional, setting } from '../setting.ts';

const nameable = /^[A-Z][A-Z0-9_]{0,99}$/;

/** What belongs to the installation, whoever declares it: its own settings, and those of the programs that it is made of. */
const ours = /^(?:PARLEY_|LIVEKIT_|REDIS_|PG|NODE_|LD_)/;

/** Whether an operator may declare a variable of this name for agents. */
export const isForAgents = (name: string): boolean => nameable.test(name) && !ours.test(name);

function namesForAgents(text: string): string[] | undefined {
  const names = text.split(',').map((name) => name.trim());
  return names.every(isForAgents) ? [...new Set(names)] : undefined;
}

/** As an address has it, with a port where it is not the usual one. */
const host = /^(?:[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?|\[[0-9a-f:.]{2,45}\])(?::\d{1,5})?$/;

function hosts(text: string): string[] | undefined {
  const names = text.split(',').map((name) => name.trim().toLowerCase());
  return names.every((name) => host.test(name)) ? [...new Set(names)] : undefined;
}

/** What agents' files may refer to, and where what is secret is read from. */
export const agentVariables = {
  agentVariables: setting({
    name: 'PARLEY_AGENT_VARIABLES',
    readBy: { agent: optional, worker: optional, start: optional, commands: optional },
    holds: "names of variables such as CRM_URL, separated by commas, and none of the installation's own",
    parse: namesForAgents,
    write: (names: readonly string[]) => names.join(','),
    otherwise: 'agents refer to none',
    says: "The variables that agents' files may refer to with `{env: NAME}`: no other is read for them.",
  }),
  providerHosts: setting({
    name: 'PARLEY_PROVIDER_HOSTS',
    readBy: { agent: optional, worker: optional, commands: optional },
    holds: 'names of hosts such as models.internal or 10.0.0.7:8000, separated by commas',
    parse: hosts,
    write: (given: readonly string[]) => given.join(','),
    otherwise: 'public ones over https only',
    says: 'Servers of models and speech of your own that agents may name (`baseUrl`) although they are inside your network, or without https.',
  }),
  secretsFolder: setting({
    name: 'PARLEY_SECRETS_DIR',
    readBy: { api: optional, agent: optional, worker: optional, prepare: optional, commands: optional },
    holds: 'a folder that can be read',
    parse: aText,
    otherwise: 'all are read from the environment',
    says: 'A folder with a file for each variable that is secret, of its name. The system shows the environment of a process as long as it runs; a file it does not.',
  }),
};
