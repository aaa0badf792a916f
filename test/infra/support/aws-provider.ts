/**
 * Stands in for pulumi-resource-aws, which no package registry carries. It refuses what the real one would refuse without asking
 * AWS (properties that are missing, unknown or of another type, names that are too long), what AWS would refuse for its references
 * (things that are gone, things that are still used; networks and balancers by moto's word), values that AWS's own descriptions do not
 * allow (aws-values.ts) and the manners of aws-refusals.ts. What else AWS does nobody here knows: docs/cannot-be-tested-here.md.
 */
import { randomBytes } from 'node:crypto';
import { Account } from './aws-account.ts';
import { propertyFaults } from './aws-check.ts';
import { ImitatedNetwork } from './aws-network.ts';
import { inventedOutputs, lookUp, region } from './aws-outputs.ts';
import { type Inventory, logGroupsOf, refusalOf } from './aws-refusals.ts';
import { nameFaults, nameProperty } from './aws-rules.ts';
import { resourceType } from './aws-types.ts';
import { valueFaults } from './aws-values.ts';
import { changedProperties, type Properties } from './property-values.ts';
import { serveProvider } from './provider-server.ts';

const folder = process.env.STAND_IN_AWS_ACCOUNT;
if (!folder) throw new Error('STAND_IN_AWS_ACCOUNT must name the folder of the made-up account');
const account = new Account(folder);
/** Without it every id is made up. */
const motoUrl = process.env.STAND_IN_MOTO_URL;
const network = motoUrl === undefined ? undefined : new ImitatedNetwork(motoUrl, region);

/** AWS takes the name of some things for their id, and makes one up for others. */
function newId(type: string, name: string, inputs: Record<string, unknown>): { id: string; isOwnId: boolean } {
  const property = nameProperty(type);
  const given = property ? inputs[property] : undefined;
  if (typeof given === 'string') return { id: given, isOwnId: false };
  return { id: `${name.toLowerCase()}-${randomBytes(4).toString('hex').slice(1)}`, isOwnId: true };
}

/** Changing one of these makes another resource of it in AWS. */
const immutable = new Set(['availabilityZone', 'cidrBlock', 'vpcId', 'engine', 'clusterName', 'loadBalancerType']);

const inventory: Inventory = {
  ofType: (type) => account.ofType(type),
  snapshots: () => account.snapshots(),
};

/** @throws in the words of AWS, where it would refuse this */
function accept(
  { type, name }: { type: string; name: string },
  before: Properties | undefined,
  after: Properties | undefined,
): void {
  const sentence = refusalOf({ type, before, after }, inventory);
  if (sentence !== undefined) throw new Error(`${type} ${name}: ${sentence}`);
}

/** As AWS does at the first line that is logged, unless they are there already. */
function makeLogGroups(type: string, id: string, inputs: Properties): void {
  const logGroup = 'aws:cloudwatch/logGroup:LogGroup';
  const missing = logGroupsOf(type, id, inputs).filter((name) => account.get(logGroup, name) === undefined);
  for (const name of missing)
    account.put({ type: logGroup, id: name, isOwnId: false, inputs: { name }, properties: { name } });
}

serveProvider({
  version: '7.48.0',
  async configure() {},
  async check({ type, name }, inputs) {
    const faults = [
      ...propertyFaults(inputs, resourceType(type).inputs),
      ...nameFaults(type, name, inputs),
      ...valueFaults(type, inputs),
    ];
    return { inputs, faults: faults.map((fault) => `${type} ${name}: ${fault}`) };
  },
  async diff({ type }, before, inputs) {
    const changed = changedProperties(before, inputs);
    const replaces = changed.filter((name) => immutable.has(name) || name === nameProperty(type));
    return { changed, replaces, deleteBeforeReplace: false };
  },
  async create({ type, name }, inputs) {
    accept({ type, name }, undefined, inputs);
    const gone = account.goneIn(inputs);
    if (gone.length > 0) throw new Error(`${type} ${name} refers to ${gone.join(', ')}, which is gone`);
    const imitated = await network?.create(type, name, inputs);
    const { id, isOwnId } = imitated === undefined ? newId(type, name, inputs) : { id: imitated, isOwnId: true };
    if (account.get(type, id)) throw new Error(`${type} ${id} exists already`);
    const properties = inventedOutputs({ type, id, inputs }, resourceType(type).outputs);
    account.put({ type, id, isOwnId, inputs, properties });
    makeLogGroups(type, id, inputs);
    return { id, properties };
  },
  async update({ type, name }, id, inputs, before) {
    const living = account.get(type, id);
    accept({ type, name }, living?.inputs, inputs);
    const properties = { ...before, ...inputs };
    const isOwnId = living?.isOwnId ?? true;
    account.put({ type, id, isOwnId, inputs, properties });
    return properties;
  },
  async read({ type }, id) {
    return account.get(type, id)?.properties;
  },
  async delete({ type, name }, id) {
    const inputs = account.get(type, id)?.inputs ?? {};
    accept({ type, name }, inputs, undefined);
    account.remove(type, id);
    if (inputs.skipFinalSnapshot === false) account.keepSnapshot(String(inputs.finalSnapshotIdentifier));
    await network?.remove(type, id, inputs);
  },
  async invoke(token, args) {
    return lookUp(token, args);
  },
});
