/** Every setting of ours, by subject: a new one is declared in the file of its subject, in `subjects/`. */
import {
  type Group,
  isGroup,
  type PlannedValues,
  type Process,
  type Setting,
  type SomeValues,
  type Tree,
  type ValuesReadBy,
} from './setting.ts';
import { agentFiles } from './subjects/agent-files.ts';
import { agentHosts } from './subjects/agent-hosts.ts';
import { agentVariables } from './subjects/agent-variables.ts';
import { api } from './subjects/api.ts';
import { database } from './subjects/database.ts';
import { deliveries } from './subjects/deliveries.ts';
import { development } from './subjects/development.ts';
import { everyProcess } from './subjects/every-process.ts';
import { localStart } from './subjects/local-start.ts';
import { people } from './subjects/people.ts';
import { rooms } from './subjects/rooms.ts';
import { scenarios } from './subjects/scenarios.ts';
import { sealing } from './subjects/sealing.ts';
import { tenant } from './subjects/tenant.ts';

/** In the order of docs/settings.md, and of the faults that a process reports. */
export const subjects = {
  'The database': database,
  Rooms: rooms,
  'Every process': everyProcess,
  'What is sealed': sealing,
  'The tenant': tenant,
  'The API': api,
  'People who sign in': people,
  'Agent hosts': agentHosts,
  "The agents' files": agentFiles,
  'Variables of agents, and secrets': agentVariables,
  Scenarios: scenarios,
  Deliveries: deliveries,
  'Starting on one machine': localStart,
  'Working on Parley': development,
} as const satisfies Record<string, Tree>;

export const settings = {
  ...database,
  ...rooms,
  ...everyProcess,
  ...sealing,
  ...tenant,
  ...api,
  ...people,
  ...agentHosts,
  ...agentFiles,
  ...agentVariables,
  ...scenarios,
  ...deliveries,
  ...localStart,
  ...development,
} as const satisfies Tree;

/** What a process is given. */
export type SettingsOf<Reader extends Process> = ValuesReadBy<typeof settings, Reader>;
/** Values to set for whichever processes. */
export type Values = SomeValues<typeof settings>;
/** What a stack's plan says of a process. */
export type Planned<Reader extends Process, Reference> = PlannedValues<typeof settings, Reader, Reference>;

export interface Declared {
  setting: Setting;
  /** The variable without which this one is not read. */
  onlyWith: string | undefined;
  /** Whether others are read only with this one, which nobody has to set. */
  opens: boolean;
}

/** All settings below a node of the tree. */
export function settingsIn(tree: Tree, onlyWith?: string): Declared[] {
  return Object.values(tree).flatMap((node) => {
    const opens = !isGroup(node) && node.name === onlyWith;
    if (!isGroup(node)) return [{ setting: node, onlyWith: opens ? undefined : onlyWith, opens }];
    return settingsIn(node.settings, openerOf(node) ?? onlyWith);
  });
}

function openerOf({ settings: fields, opensWith }: Group): string | undefined {
  const opener = opensWith === undefined ? undefined : fields[opensWith];
  return opener && !isGroup(opener) ? opener.name : undefined;
}

export const namesIn = (tree: Tree): string[] => settingsIn(tree).map(({ setting }) => setting.name);
