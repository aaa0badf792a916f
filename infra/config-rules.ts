/** What a schema cannot say about a stack's configuration: how fields go together. A target adds rules of its own. */
import type { TenantConfiguration } from '../services/contract/generated/tenant.ts';
import { namesIn, settings } from '../services/settings/settings.ts';
import { keysFault } from './kept-keys.ts';

export interface RuleFault {
  path: readonly string[];
  message: string;
}

export type Rule = (config: TenantConfiguration) => RuleFault | undefined | false;

export const fault = (path: string, message: string): RuleFault => ({ path: path.split('.'), message });

const secretNames = ({ secrets }: TenantConfiguration) => Object.keys(secrets);

/** A field that says which of secrets holds something. */
const namedSecret =
  (path: string, nameIn: (config: TenantConfiguration) => string | undefined): Rule =>
  (config) => {
    const name = nameIn(config);
    return (
      name !== undefined &&
      !secretNames(config).includes(name) &&
      fault(path, `There is no secret ${name}: pulumi config set --secret --path 'parley:secrets.${name}'.`)
    );
  };

const secretOfRegistry: Rule = ({ images: { pullSecret }, secrets }) => {
  if (pullSecret === undefined) return false;
  const text = secrets[pullSecret];
  const command = `pulumi config set --secret --path 'parley:secrets.${pullSecret}' "$(cat config.json)"`;
  if (text === undefined) return fault('images.pullSecret', `There is no secret ${pullSecret}: ${command}.`);
  return (
    !/^\s*\{.*"auths"/s.test(text) &&
    fault('images.pullSecret', `The secret ${pullSecret} is no .dockerconfigjson ({"auths": …}): ${command}.`)
  );
};

const keysOf =
  (field: 'master' | 'people'): Rule =>
  ({ keys }) => {
    const given = keys?.[field];
    const sentence = given === undefined ? undefined : keysFault(given);
    return sentence !== undefined && fault(`keys.${field}`, sentence);
  };

export const rulesOfEveryTarget: readonly Rule[] = [
  ({ capacity }) => capacity.voice + capacity.text === 0 && fault('capacity', 'Declare at least one conversation.'),
  ({ agents }) =>
    agents.folder !== undefined &&
    agents.repository !== undefined &&
    fault('agents.folder', 'A repository is given too: agents come from one of them.'),
  ({ agents }) =>
    agents.sshKey !== undefined &&
    agents.sshKnownHosts === undefined &&
    fault('agents.sshKnownHosts', 'A key is given, so give the lines of known_hosts that the server is checked with.'),
  ({ phone, images }) =>
    phone !== undefined &&
    images.sipBridge === undefined &&
    fault('images.sipBridge', 'Calls need a SIP bridge: give the image of livekit/sip by digest.'),
  ({ phone, capacity }) =>
    phone !== undefined &&
    phone.calls > capacity.voice &&
    fault(
      'phone.calls',
      `A call is a spoken conversation, and capacity.voice declares ${capacity.voice}: declare as many there.`,
    ),
  namedSecret('agents.token', ({ agents }) => agents.token),
  namedSecret('agents.writeToken', ({ agents }) => agents.writeToken),
  namedSecret('agents.sshKey', ({ agents }) => agents.sshKey),
  namedSecret('agents.pushSecret', ({ agents }) => agents.pushSecret),
  namedSecret('agents.passesSecret', ({ agents }) => agents.passesSecret),
  namedSecret('agents.commitStatus', ({ agents }) => agents.commitStatus?.token),
  namedSecret('signIn.clientSecret', ({ signIn }) => signIn?.clientSecret),
  namedSecret('mail.url', ({ mail }) => mail?.url),
  namedSecret('challenges.turnstile', ({ challenges }) => challenges?.turnstile),
  namedSecret('challenges.hcaptcha', ({ challenges }) => challenges?.hcaptcha),
  secretOfRegistry,
  keysOf('master'),
  keysOf('people'),
  ({ rotation }) =>
    rotation.roomKeyInUse > rotation.roomKeys &&
    fault('rotation.roomKeyInUse', `There are ${rotation.roomKeys} keys: raise roomKeys first, by an up of its own.`),
  ({ environment, secrets }) => {
    const both = Object.keys(secrets).find((name) => name in environment);
    return both !== undefined && fault(`environment.${both}`, 'The same name is in secrets: keep one.');
  },
  // Judges of scenarios and engines of speech are set up by variables that agents share.
  ({ environment, secrets }) => {
    const shared = [...namesIn(settings.judge.settings), ...namesIn(settings.speech.settings)];
    const belongsToServices = (name: string) =>
      /^(PARLEY_|LIVEKIT_|NODE_|PATH$|HOME$)/.test(name) || namesIn(settings).includes(name);
    const ours = [...Object.keys(environment), ...Object.keys(secrets)].find(
      (name) => belongsToServices(name) && !shared.includes(name),
    );
    return ours !== undefined && fault(`environment.${ours}`, 'This name belongs to the services: choose another.');
  },
  ({ database }) =>
    database.kind !== 'existing' &&
    (database.url !== undefined || database.adminUrl !== undefined) &&
    fault('database.kind', 'url and adminUrl are for a database that exists: set kind to existing.'),
];

export const broken = (rules: readonly Rule[], config: TenantConfiguration): RuleFault[] =>
  rules.map((rule) => rule(config)).filter((found) => found !== undefined && found !== false);
