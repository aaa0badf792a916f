/** What a schema cannot say about a stack's configuration: how fields go together. */
import type { TenantConfiguration } from '../services/contract/generated/tenant.ts';
import { namesIn, settings } from '../services/settings/settings.ts';
import { isRedundant } from './plan/agents.ts';

export interface RuleFault {
  path: readonly string[];
  message: string;
}

type Rule = (config: TenantConfiguration) => RuleFault | undefined | false;

const fault = (path: string, message: string): RuleFault => ({ path: path.split('.'), message });

const usesStatefulset = ({ target, database }: TenantConfiguration) =>
  target === 'kubernetes' && (database.kind ?? 'statefulset') === 'statefulset';

const secretNames = ({ secrets }: TenantConfiguration) => Object.keys(secrets);

type SecretField = 'token' | 'sshKey' | 'pushSecret' | 'passesSecret' | 'commitStatus';

const namedSecret =
  (field: SecretField): Rule =>
  (config) => {
    const named = config.agents[field];
    const name = typeof named === 'object' ? named.token : named;
    return (
      name !== undefined &&
      !secretNames(config).includes(name) &&
      fault(
        `agents.${field}`,
        `There is no secret ${name}: pulumi config set --secret --path 'parley:secrets.${name}'.`,
      )
    );
  };

const rules: readonly Rule[] = [
  ({ capacity }) => capacity.voice + capacity.text === 0 && fault('capacity', 'Declare at least one conversation.'),
  ({ agents }) =>
    agents.folder !== undefined &&
    agents.repository !== undefined &&
    fault('agents.folder', 'A repository is given too: agents come from one of them.'),
  ({ agents }) =>
    agents.sshKey !== undefined &&
    agents.sshKnownHosts === undefined &&
    fault('agents.sshKnownHosts', 'A key is given, so give the lines of known_hosts that the server is checked with.'),
  namedSecret('token'),
  namedSecret('sshKey'),
  namedSecret('pushSecret'),
  namedSecret('passesSecret'),
  namedSecret('commitStatus'),
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
  (config) =>
    usesStatefulset(config) &&
    config.images.database === undefined &&
    fault('images.database', 'PostgreSQL runs in the cluster, so give its image by digest.'),
  ({ target, capacity, images }) =>
    target === 'kubernetes' &&
    isRedundant(capacity) &&
    images.cache === undefined &&
    fault('images.cache', 'This capacity takes several replicas, which need Valkey: give its image by digest.'),
  ({ database }) =>
    database.kind === 'existing' &&
    (database.url === undefined || database.adminUrl === undefined) &&
    fault('database', 'An existing database needs url and adminUrl.'),
  ({ database }) =>
    database.kind !== 'existing' &&
    (database.url !== undefined || database.adminUrl !== undefined) &&
    fault('database.kind', 'url and adminUrl are for a database that exists: set kind to existing.'),
  ({ target, database }) =>
    target === 'aws' && database.kind !== undefined && fault('database.kind', 'On aws it is RDS: leave kind out.'),
  ({ target, database }) =>
    target === 'aws' &&
    database.certificateAuthority === undefined &&
    fault(
      'database.certificateAuthority',
      'Give the PEM file of the region that RDS publishes, so that its certificate can be checked.',
    ),
  ({ target, kubernetes }) =>
    target === 'kubernetes' &&
    (kubernetes.certificateIssuer === undefined) === (kubernetes.certificateSecret === undefined) &&
    fault('kubernetes', 'Name either certificateIssuer or certificateSecret: rooms need TLS.'),
  ({ target, aws }) =>
    target === 'aws' &&
    aws.hostedZone === undefined &&
    fault('aws.hostedZone', 'Name the Route 53 zone of the domain.'),
  ({ aws, domain }) =>
    aws.hostedZone !== undefined &&
    !domain.endsWith(`.${aws.hostedZone}`) &&
    fault('domain', `${domain} does not lie in the zone ${aws.hostedZone}.`),
  ({ target, agents }) =>
    target === 'aws' &&
    agents.pushSecret !== undefined &&
    fault('agents.pushSecret', 'Push events are not led to the worker on aws: leave it out, the repository is polled.'),
  ({ target, agents }) =>
    target === 'aws' &&
    agents.passesSecret !== undefined &&
    fault(
      'agents.passesSecret',
      'Passes are not led to the worker on aws: leave it out, the worker runs the scenarios.',
    ),
  ({ aws }) => !/^.*\/16$/.test(aws.cidr) && fault('aws.cidr', 'The network takes a /16.'),
  ({ target, foundation }) =>
    target === 'kubernetes' &&
    foundation !== undefined &&
    fault('foundation', 'Only aws has foundations: leave it out.'),
];

export const rulesBetweenFields = (config: TenantConfiguration): RuleFault[] =>
  rules.map((rule) => rule(config)).filter((found) => found !== undefined && found !== false);
