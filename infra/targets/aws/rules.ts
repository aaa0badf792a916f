import { fault, type Rule } from '../../config-rules.ts';

/** How fields go together on AWS. */
export const rules: readonly Rule[] = [
  ({ database }) => database.kind !== undefined && fault('database.kind', 'On aws it is RDS: leave kind out.'),
  ({ database }) =>
    database.certificateAuthority === undefined &&
    fault(
      'database.certificateAuthority',
      'Give the PEM file of the region that RDS publishes, so that its certificate can be checked.',
    ),
  ({ aws }) => aws.hostedZone === undefined && fault('aws.hostedZone', 'Name the Route 53 zone of the domain.'),
  ({ aws, domain }) =>
    aws.hostedZone !== undefined &&
    !domain.endsWith(`.${aws.hostedZone}`) &&
    fault('domain', `${domain} does not lie in the zone ${aws.hostedZone}.`),
  ({ agents }) =>
    agents.pushSecret !== undefined &&
    fault('agents.pushSecret', 'Push events are not led to the worker on aws: leave it out, the repository is polled.'),
  ({ agents }) =>
    agents.passesSecret !== undefined &&
    fault(
      'agents.passesSecret',
      'Passes are not led to the worker on aws: leave it out, the worker runs the scenarios.',
    ),
  ({ guests, foundation }) =>
    guests !== undefined &&
    typeof foundation === 'object' &&
    fault('guests', 'Only a foundation has guests, and this is a guest itself: leave it out.'),
  ({ guests }) =>
    guests !== undefined && guests.voice + guests.text === 0 && fault('guests', 'Declare at least one conversation.'),
  ({ phone, foundation }) =>
    phone !== undefined &&
    typeof foundation === 'object' &&
    fault('phone', "The ports of calls are the foundation's own: give a tenant with a telephone one of its own."),
  ({ database: { restoreFrom } }) =>
    restoreFrom !== undefined &&
    (restoreFrom.snapshot === undefined) === (restoreFrom.instance === undefined) &&
    fault('database.restoreFrom', 'Name either a snapshot or an instance.'),
  ({ database: { restoreFrom }, foundation }) =>
    restoreFrom !== undefined &&
    typeof foundation === 'object' &&
    fault('database.restoreFrom', "The database server is the foundation's: restore it there."),
  ({ foundation, rotation }) =>
    typeof foundation === 'object' &&
    [rotation.ownerPassword, rotation.serverPassword, rotation.cachePassword].some((which) => which > 1) &&
    fault(
      'rotation',
      'A guest has these passwords of its foundation: raise rotation.guestPasswords there, then run pulumi up here.',
    ),
  ({ guests, rotation }) =>
    guests === undefined &&
    rotation.guestPasswords > 1 &&
    fault('rotation.guestPasswords', 'This stack has no guests: leave it out.'),
  ({ aws }) => !/^.*\/16$/.test(aws.cidr) && fault('aws.cidr', 'The network takes a /16.'),
];
