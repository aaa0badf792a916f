/** Asks the programs that an operator has anyway; what nobody answers is left for the operator to say. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { type ImageSeen, type NodesSeen, platformsIn } from './seen.ts';

const run = promisify(execFile);
const answerWithinMs = 30_000;

const answerOf = (command: string, args: readonly string[]): Promise<string | undefined> =>
  run(command, [...args], { timeout: answerWithinMs, maxBuffer: 64 * 1024 * 1024 }).then(
    ({ stdout }) => stdout.trim(),
    // Not installed, not logged in, not there: each means that somebody else has to say it.
    () => undefined,
  );

const jsonOf = async <Seen>(command: string, args: readonly string[]): Promise<Seen | undefined> => {
  const answer = await answerOf(command, args);
  try {
    return answer === undefined ? undefined : (JSON.parse(answer) as Seen);
  } catch {
    // A program of another version may say it otherwise.
    return undefined;
  }
};

export interface FoundImage {
  /** By digest. */
  reference: string;
  platforms: string[];
}

/** @param image with a tag or a digest; undefined when Docker is not here, or its registry does not know it */
export async function findImage(image: string): Promise<FoundImage | undefined> {
  const seen = await jsonOf<ImageSeen>('docker', ['buildx', 'imagetools', 'inspect', image, '--format', '{{json .}}']);
  if (!seen?.manifest?.digest) return undefined;
  const [name = image] = image.split('@');
  return { reference: `${name}@${seen.manifest.digest}`, platforms: platformsIn(seen) };
}

const kubectl = (context: string | undefined, ...args: string[]) => [
  ...(context === undefined ? [] : ['--context', context]),
  ...args,
];

export const currentContext = () => answerOf('kubectl', ['config', 'current-context']);
export async function findNodes(context: string | undefined): Promise<NodesSeen | undefined> {
  const seen = await jsonOf<Partial<NodesSeen>>('kubectl', kubectl(context, 'get', 'nodes', '--output', 'json'));
  return seen?.items && { items: seen.items };
}

/** What the API of a tenant runs; undefined where kubectl does not know. */
export async function findDeployedImage(namespace: string): Promise<string | undefined> {
  const args = kubectl(undefined, '--namespace', namespace, 'get', 'deployment', 'api', '--output', 'json');
  const seen = await jsonOf<DeploymentSeen>('kubectl', args);
  return seen?.spec?.template?.spec?.containers?.[0]?.image;
}

interface DeploymentSeen {
  spec?: { template?: { spec?: { containers?: readonly { image?: string }[] } } };
}

interface Named {
  items: readonly { metadata: { name: string } }[];
}

/** Names of what the cluster has of a kind, such as `clusterissuers`; undefined where it has no such kind. */
export async function namesOf(context: string | undefined, kind: string): Promise<string[] | undefined> {
  const seen = await jsonOf<Named>('kubectl', kubectl(context, 'get', kind, '--output', 'json'));
  return seen?.items.map(({ metadata }) => metadata.name);
}

/** How many guests the foundation of a stack is made for. */
export async function guestsOf(stack: string): Promise<number | undefined> {
  const args = ['stack', 'output', 'foundation', '--json', '--show-secrets', '--stack', stack];
  return (await jsonOf<{ guests?: { count?: number } }>('pulumi', args))?.guests?.count;
}

/** What RDS signs its servers of a region with, as PEM. */
export async function rdsCertificates(region: string): Promise<string | undefined> {
  const url = `https://truststore.pki.rds.amazonaws.com/${region}/${region}-bundle.pem`;
  try {
    const answer = await fetch(url, { signal: AbortSignal.timeout(answerWithinMs) });
    const text = await answer.text();
    return answer.ok && text.includes('-----BEGIN CERTIFICATE-----') ? text : undefined;
  } catch {
    // Without a way there the operator fetches it: the file says from where.
    return undefined;
  }
}
