/** How what a stack declares of its telephone goes together. */
import type { DeclaredNumber, DeclaredTrunk, TenantConfiguration } from '../services/contract/generated/tenant.ts';
import { faultOfHours } from '../services/contract/opening-hours.ts';
import { isForAgents } from '../services/settings/subjects/agent-variables.ts';
import { fault, type Rule, type RuleFault } from './config-rules.ts';

/** The first fault of the list, at its place in it. */
const inList =
  <Item>(path: string, listOf: (config: TenantConfiguration) => readonly Item[], faultOf: FaultOf<Item>): Rule =>
  (config) => {
    const all = listOf(config);
    const faults = all.map((item, index): RuleFault | undefined => {
      const [field, message] = faultOf(item, config, all.slice(0, index)) || [];
      return field === undefined || message === undefined ? undefined : fault(`${path}.${index}.${field}`, message);
    });
    return faults.find((found) => found !== undefined);
  };

/** A field, and what is wrong with it. */
type Pointed = readonly [field: string, message: string];

/** `earlier`: those before it in the list. */
type FaultOf<Item> = (item: Item, config: TenantConfiguration, earlier: readonly Item[]) => Pointed | undefined | false;

const ofTrunks = (faultOf: FaultOf<DeclaredTrunk>) =>
  inList('phone.trunks', ({ phone }) => phone?.trunks ?? [], faultOf);
const ofNumbers = (faultOf: FaultOf<DeclaredNumber>) =>
  inList('phone.numbers', ({ phone }) => phone?.numbers ?? [], faultOf);

export const rulesOfTelephone: readonly Rule[] = [
  ofTrunks(
    ({ name }, _, earlier) =>
      earlier.some((one) => one.name === name) && ['name', `Another trunk is called "${name}".`],
  ),
  ofTrunks(
    ({ username, password }) =>
      (username === undefined) !== (password === undefined) && [
        username === undefined ? 'username' : 'password',
        'Give username and password together.',
      ],
  ),
  ofTrunks(
    ({ username, allowedAddresses }) =>
      username === undefined &&
      allowedAddresses.length === 0 && [
        'allowedAddresses',
        'Anybody could call in by this trunk: give username and password, or the addresses of your carrier.',
      ],
  ),
  ofTrunks(({ password }, { secrets }) => {
    if (password === undefined) return undefined;
    if (!isForAgents(password)) return ['password', 'This name belongs to the services: choose another.'];
    const command = `pulumi config set --secret --path 'parley:secrets.${password}'`;
    return !(password in secrets) && ['password', `There is no secret ${password}: ${command}.`];
  }),
  ofNumbers(
    ({ number }, _, earlier) =>
      earlier.some((one) => one.number === number) && ['number', `${number} is declared already.`],
  ),
  ofNumbers(({ trunk }, { phone }) => {
    const names = phone?.trunks.map(({ name }) => name) ?? [];
    const known = names.length > 0 ? `phone.trunks has ${names.join(', ')}` : 'phone.trunks has none';
    return !names.includes(trunk) && ['trunk', `There is no trunk "${trunk}": ${known}.`];
  }),
  ofNumbers(({ hours }) => {
    const sentence = hours && faultOfHours(hours);
    return sentence !== undefined && ['hours', sentence];
  }),
  ofNumbers(
    ({ agent, language }) =>
      language !== undefined && agent === undefined && ['language', 'It is a language of the agent: give agent, too.'],
  ),
];
