import { existsSync } from 'node:fs';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { parse, stringify } from 'yaml';
import { isRedundant } from '../../../../infra/plan/agents.ts';
import { tried } from '../../../../infra/versions.ts';
import { Fault } from '../../../toolchain/fault.ts';
import { say } from '../../../toolchain/say.ts';
import { wholeNumber } from './count.ts';
import { type Account, type Cluster, refuseWhatCannotWork, stackFields, type Wanted } from './fields.ts';
import { currentContext, findImage, findNodes, guestsOf, namesOf, rdsCertificates } from './look-up.ts';
import { architecturesIn, freeSlot, nodeCidrsIn, platformFault } from './seen.ts';

const root = join(import.meta.dirname, '../../../..');

/** Options as they were given. */
export interface Given {
  target?: string | undefined;
  domain?: string | undefined;
  voice?: number | undefined;
  text?: number | undefined;
  services?: string | undefined;
  owner?: string | undefined;
  context?: string | undefined;
  issuer?: string | undefined;
  nodeCidr: string[];
  region?: string | undefined;
  zone?: string | undefined;
  operatorCidr: string[];
  foundation?: string | undefined;
}

/** @throws Fault for what cannot work; then nothing is written */
export async function newStack(name: string, given: Given): Promise<void> {
  const file = join(root, `Pulumi.${name}.yaml`);
  if (existsSync(file))
    throw new Fault(`Pulumi.${name}.yaml is there already: choose another name, or change that file.`);
  const ask = openQuestions();
  try {
    const target = targetOf(given.target ?? (await ask('target', 'kubernetes or aws?', 'kubernetes')));
    const domain = given.domain ?? (await ask('domain', 'Under which host name?'));
    const voice = given.voice ?? wholeNumber(await ask('voice', 'How many spoken conversations at once?', '2'));
    const text = given.text ?? wholeNumber(await ask('text', 'How many written ones?', '20'));
    const services = given.services ?? (await ask('services', 'Which image ("parley image push" prints it)?'));
    const cluster = target === 'kubernetes' ? await findCluster(given) : undefined;
    const account = target === 'aws' ? await findAccount(given, domain, ask) : undefined;
    const nodes = cluster?.architectures ?? ['amd64'];
    const images = await findImages(
      { services, target, several: isRedundant({ voice, text, coldStart: 'never', coldStartSeconds: 0 }) },
      nodes,
    );
    const wanted: Wanted = {
      ...{ name, target, domain, voice, text, owner: given.owner, images },
      ...{ cluster: cluster?.found, account: account?.found },
    };
    const fields = stackFields(wanted);
    refuseWhatCannotWork(name, fields);
    if (account?.certificates !== undefined)
      await writeFile(join(root, account.found.certificateAuthority), account.certificates);
    await writeFile(file, fileText(name, fields), { flag: 'wx' });
    sayNext(name, account);
  } finally {
    ask.close();
  }
}

function targetOf(text: string): Wanted['target'] {
  if (text === 'kubernetes' || text === 'aws') return text;
  throw new Fault(`There is no target "${text}": kubernetes, or aws.`);
}

/** @throws Fault that names what nobody could tell */
async function findCluster({ context: given, issuer, nodeCidr }: Given) {
  const context = given ?? (await currentContext());
  if (context === undefined) throw new Fault('kubectl names no current context: give --context.');
  const nodes = await findNodes(context);
  const nodeCidrs = nodeCidr.length > 0 ? nodeCidr : nodes ? nodeCidrsIn(nodes) : [];
  if (nodeCidrs.length === 0) throw new Fault(`The cluster of "${context}" does not tell its nodes: give --node-cidr.`);
  const [issuers, classes, definitions] = await Promise.all(
    ['clusterissuers.cert-manager.io', 'ingressclasses', 'customresourcedefinitions'].map((kind) =>
      namesOf(context, kind),
    ),
  );
  const certificateIssuer = issuer ?? onlyOne(issuers);
  if (certificateIssuer === undefined) throw new Fault(issuerFault(issuers));
  const found: Cluster = {
    ...{ context, nodeCidrs, certificateIssuer },
    ingressClass: classes?.includes('traefik') ? 'traefik' : (classes?.[0] ?? 'traefik'),
    hasKeda: definitions?.includes('scaledobjects.keda.sh') ?? false,
  };
  return { found, architectures: nodes ? architecturesIn(nodes) : [] };
}

const onlyOne = (names: readonly string[] | undefined) => (names?.length === 1 ? names[0] : undefined);

const issuerFault = (issuers: readonly string[] | undefined): string =>
  issuers === undefined || issuers.length === 0
    ? 'The cluster has no ClusterIssuer of cert-manager, so no certificate would be made: docs/operate/first-tenant.md says how, or give --issuer.'
    : `The cluster has the issuers ${issuers.join(', ')}: give --issuer.`;

async function findAccount(given: Given, domain: string, ask: Ask) {
  const region = given.region ?? (await ask('region', 'In which region?', 'eu-west-1'));
  const hostedZone = given.zone ?? domain.split('.').slice(1).join('.');
  const foundation = given.foundation === undefined ? undefined : await slotOn(given.foundation);
  if (foundation === undefined && given.operatorCidr.length === 0)
    throw new Fault(
      'Nobody could reach the cluster, this command included: give --operator-cidr, such as 203.0.113.7/32.',
    );
  const found: Account = {
    ...{ region, hostedZone, operatorCidrs: given.operatorCidr, foundation },
    certificateAuthority: `rds-${region}.pem`,
  };
  return { found, certificates: await rdsCertificates(region) };
}

async function slotOn(stack: string): Promise<Account['foundation']> {
  const guests = await guestsOf(stack);
  if (guests === undefined)
    throw new Fault(
      `Pulumi does not tell for how many guests ${stack} is made: it must declare parley:guests, and be up.`,
    );
  const names = (await readdir(root)).filter((name) => /^Pulumi\..+\.yaml$/.test(name));
  const texts = await Promise.all(names.map((name) => readFile(join(root, name), 'utf8')));
  const slot = freeSlot(
    stack,
    guests,
    texts.map((text) => (parse(text) as { config?: object } | null)?.config ?? {}) as Record<string, unknown>[],
  );
  if (slot === undefined) throw new Fault(`The ${guests} slots of ${stack} are taken by stacks of this folder.`);
  return { stack, slot };
}

/** What was tried with this release. */
const tags = {
  roomServer: `livekit/livekit-server:v${tried['room server'].version}`,
  database: 'postgres:18',
  cache: 'valkey/valkey:8',
};

interface ImagesWanted {
  services: string;
  target: Wanted['target'];
  /** Whether capacity takes several replicas, which need a cache. */
  several: boolean;
}

/** @throws Fault where one is not found, or nodes cannot run it */
async function findImages(
  { services, target, several }: ImagesWanted,
  nodes: readonly string[],
): Promise<Wanted['images']> {
  const wanted = {
    services,
    roomServer: tags.roomServer,
    ...(target === 'kubernetes' && { database: tags.database, ...(several && { cache: tags.cache }) }),
  };
  const found = await Promise.all(
    Object.entries(wanted).map(async ([what, image]) => [what, await byDigest(image, nodes)]),
  );
  return Object.fromEntries(found) as Wanted['images'];
}

async function byDigest(image: string, nodes: readonly string[]): Promise<string> {
  const found = await findImage(image);
  if (found === undefined) {
    if (/@sha256:[0-9a-f]{64}$/.test(image)) return image;
    throw new Fault(
      `The digest of ${image} could not be looked up: Docker with buildx has to be here and logged in to its registry. Or write the file by hand, from examples/.`,
    );
  }
  const fault = platformFault(image, found.platforms, nodes);
  if (fault !== undefined) throw new Fault(fault);
  return found.reference;
}

const fileText = (name: string, config: Readonly<Record<string, unknown>>): string =>
  `# Written by parley stack new ${name}; docs/operate/first-tenant.md and schemas/tenant.schema.json say what else there is.\n${stringify({ config }, { lineWidth: 0 })}`;

function sayNext(name: string, account: Awaited<ReturnType<typeof findAccount>> | undefined): void {
  say(`Written: Pulumi.${name}.yaml.`);
  if (account && account.certificates === undefined) {
    const { region, certificateAuthority } = account.found;
    say(
      `The certificates of RDS could not be fetched: curl -o ${certificateAuthority} https://truststore.pki.rds.amazonaws.com/${region}/${region}-bundle.pem`,
    );
  }
  say(`Next: pulumi stack init ${name} && pulumi preview --stack ${name}`);
}

interface Ask {
  /** @throws Fault where nobody is there to answer */
  (flag: string, question: string, otherwise?: string): Promise<string>;
  close(): void;
}

function openQuestions(): Ask {
  const terminal = process.stdin.isTTY ? createInterface({ input: process.stdin, output: process.stdout }) : undefined;
  const ask = async (flag: string, question: string, otherwise?: string): Promise<string> => {
    if (terminal === undefined) {
      if (otherwise !== undefined) return otherwise;
      throw new Fault(`Give --${flag}: there is no terminal to ask on.`);
    }
    const shown = otherwise === undefined ? '' : ` [${otherwise}]`;
    const answer = (await terminal.question(`${question}${shown} `)).trim();
    if (answer !== '') return answer;
    if (otherwise !== undefined) return otherwise;
    throw new Fault('Nothing was written.');
  };
  return Object.assign(ask, { close: () => terminal?.close() });
}
