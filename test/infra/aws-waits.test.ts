import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterEach, expect, test, vi } from 'vitest';
import { type Ask, askBy } from '../../infra/targets/aws/waits/ask.ts';
import { certificate } from '../../infra/targets/aws/waits/certificate.ts';
import { addOns, controlPlane, nodeGroups } from '../../infra/targets/aws/waits/eks.ts';
import { cacheServer } from '../../infra/targets/aws/waits/elasticache.ts';
import { instances } from '../../infra/targets/aws/waits/instances.ts';
import { databaseServer } from '../../infra/targets/aws/waits/rds.ts';
import type { Wait } from '../../infra/targets/aws/waits/wait.ts';
import { ofFoundation, watchWaits } from '../../infra/targets/aws/waits/watch.ts';
import { pythonWith } from '../../scripts/toolchain/python.ts';
import { awsAnswers } from './support/aws-answers.ts';

const run = promisify(execFile);

/** AWS that knows what is in the table, and nothing else. */
const answering =
  (table: Readonly<Record<string, object>>): Ask =>
  async <Answer>(service = '', operation = '') =>
    table[`${service} ${operation}`] as Answer | undefined;

const names = {
  ...{ cluster: 'parley-acme', database: 'parley-acme', cache: 'parley-acme', cacheUsers: 'parley-acme' },
  ...{ balancer: 'parley-acme', mediaBalancer: 'parley-acme-turn', phoneBalancer: 'parley-acme-phone' },
};

test.each<[string, Wait, string]>([
  ['the control plane', controlPlane('parley-acme'), 'the cluster: Ec2SubnetNotFound. We couldn’t find subnet-1.'],
  [
    'a node group that stays CREATING',
    nodeGroups('parley-acme'),
    'nodes (parley-acme-agents-1): AsgInstanceLaunchFailures. You have requested more vCPU capacity than your current vCPU limit of 32 allows. VcpuLimitExceeded. Raise it in Service Quotas: AWS tries again by itself.',
  ],
  [
    'instances that EC2 does not have',
    instances('parley-acme'),
    'nodes (eks-rooms-1): EC2 starts none. We currently do not have sufficient c7i.large capacity in the Availability Zone you requested. AWS has none of that type there now, and tries again.',
  ],
  ['an add-on', addOns('parley-acme'), 'add-on coredns: InsufficientNumberOfReplicas. No pod is available.'],
  [
    'a database server',
    databaseServer('parley-acme'),
    'the database server: incompatible-parameters, a setting of its parameter group does not go with its class or version. RDS says: max_connections is out of bounds.',
  ],
  ['a cache', cacheServer('parley-acme'), 'the cache: Failed to create cache node 0002: insufficient capacity'],
  [
    'a certificate',
    certificate('acme.example.com'),
    'the certificate of acme.example.com: ACM does not see its record _a1b2.acme.example.com. yet. It takes minutes; longer only where the zone is not what the domain is delegated to.',
  ],
])('why %s does not come is told in a sentence', async (_, wait, sentence) => {
  expect(await wait(answering(awsAnswers))).toEqual([sentence]);
});

test.each([
  'failed',
  'inaccessible-encryption-credentials',
  'incompatible-network',
  'incompatible-restore',
  'insufficient-capacity',
  'storage-full',
])('a database server that is %s is told, and one that is being made is not', async (DBInstanceStatus) => {
  const said = (status: string) =>
    databaseServer('parley-acme')(
      answering({ 'rds describe-db-instances': { DBInstances: [{ DBInstanceStatus: status }] } }),
    );
  expect((await said(DBInstanceStatus)).join()).toMatch(`the database server: ${DBInstanceStatus}, `);
  for (const passing of ['creating', 'backing-up', 'modifying', 'upgrading', 'available'])
    expect(await said(passing)).toEqual([]);
});

test('a certificate that ACM refuses is told with its reason', async () => {
  const refused = { 'acm describe-certificate': { Certificate: { FailureReason: 'CAA_ERROR' } } };
  expect(await certificate('acme.example.com')(answering({ ...awsAnswers, ...refused }))).toEqual([
    'the certificate of acme.example.com: ACM refuses it, CAA_ERROR.',
  ]);
});

test('nothing is told of what AWS has not begun yet', async () => {
  const told = await Promise.all(
    [certificate('acme.example.com'), ...ofFoundation(names)].map((wait) => wait(answering({}))),
  );
  expect(told.flat()).toEqual([]);
});

test('every answer that these sentences are made of is one that AWS gives, by its own models', async () => {
  const python = join(await pythonWith('moto'), 'python');
  const judged = run(python, [join(import.meta.dirname, 'support/judge_aws_answers.py')]);
  judged.child.stdin?.end(JSON.stringify(awsAnswers));
  expect(JSON.parse((await judged).stdout)).toEqual([]);
  // And it is a judge.
  const wrong = run(python, [join(import.meta.dirname, 'support/judge_aws_answers.py')]);
  const node = { nodegroup: { status: 'WAITING', Health: {} } };
  wrong.child.stdin?.end(JSON.stringify({ 'eks describe-nodegroup': node, 'eks describe-nothing': {} }));
  expect(JSON.parse((await wrong).stdout)).toEqual([
    'eks describe-nodegroup.nodegroup.Health is unknown',
    'eks describe-nodegroup.nodegroup.status is never WAITING',
    'eks describe-nothing is unknown',
  ]);
});

/** A watch whose time goes on as it pauses; it ends after `endMs`. */
async function toldBy(ask: Ask, endMs: number): Promise<[string, number][]> {
  const told: [string, number][] = [];
  const ended = Promise.withResolvers<void>();
  let at = 0;
  const watch = watchWaits({
    ask,
    waits: ofFoundation(names),
    tell: (sentence) => told.push([sentence, at]),
    clock: {
      now: () => at,
      async pause(ms) {
        at += ms;
        await turn();
        if (at < endMs) return;
        watch.stop();
        ended.resolve();
      },
    },
  });
  await ended.promise;
  return told;
}

test('each cause is told once, within a minute', async () => {
  const told = await toldBy(answering(awsAnswers), 300_000);
  expect(told.map(([sentence]) => sentence.split(':')[0]).sort()).toEqual([
    'add-on coredns',
    'nodes (eks-rooms-1)',
    'nodes (parley-acme-agents-1)',
    'the cache',
    'the cluster',
    'the database server',
  ]);
  expect(Math.max(...told.map(([, ms]) => ms))).toBeLessThan(60_000);
});

test('an operator who may not ask, or has no AWS CLI, is told so once, and the up goes on', async () => {
  const told = await toldBy(() => Promise.reject(new Error('spawn aws ENOENT')), 300_000);
  expect(told.map(([sentence]) => sentence)).toEqual(['What AWS waits for is not told: spawn aws ENOENT']);
});

let folder: string | undefined;

/** In place of the AWS CLI. */
async function withCli(script: string): Promise<void> {
  folder = await mkdtemp(join(tmpdir(), 'parley-aws-'));
  await writeFile(join(folder, 'aws'), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  vi.stubEnv('PATH', `${folder}${delimiter}${process.env.PATH}`);
}

afterEach(async () => {
  vi.unstubAllEnvs();
  if (folder) await rm(folder, { recursive: true, force: true });
});

test('AWS is asked by its CLI, of the region and the profile of the stack', async () => {
  await withCli('printf \'{"words": "%s"}\' "$*"');
  const ask = askBy(['--region', 'eu-west-1', '--profile', 'acme']);
  expect(await ask('eks', 'list-addons', '--cluster-name', 'c')).toEqual({
    words: '--region eu-west-1 --profile acme eks list-addons --cluster-name c --output json',
  });
});

test.each(['ResourceNotFoundException', 'DBInstanceNotFound', 'ReplicationGroupNotFoundFault'])(
  'what is not there yet (%s) is no failure',
  async (code) => {
    await withCli(`echo "An error occurred (${code}) when calling it: no such thing" >&2; exit 254`);
    expect(await askBy([])('eks', 'describe-cluster')).toBeUndefined();
  },
);

test('another failure is told in the words of the CLI', async () => {
  const words = 'An error occurred (AccessDeniedException) when calling the DescribeCluster operation: not you';
  await withCli(`echo "${words}" >&2; exit 254`);
  await expect(askBy([])('eks', 'describe-cluster')).rejects.toThrow(words);
});
