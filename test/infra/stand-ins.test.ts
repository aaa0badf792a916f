import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as aws from '@pulumi/aws';
import { automation } from '@pulumi/pulumi';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { propertyFaults } from './support/aws-check.ts';
import { nameFaults } from './support/aws-rules.ts';
import { resourceType } from './support/aws-types.ts';
import { openPulumi, type PulumiHome } from './support/pulumi.ts';

const minute = 60_000;
let home: PulumiHome;
let stacks = 0;

beforeAll(async () => {
  home = await openPulumi();
}, 60 * minute);

afterAll(() => home?.[Symbol.asyncDispose]());

/** A stack of a program written here, run by the engine through the Automation API. */
async function stackOf(program: automation.PulumiFn) {
  stacks += 1;
  const workDir = join(home.folder, `stack-${stacks}`);
  await mkdir(workDir);
  return automation.LocalWorkspace.createStack(
    { stackName: 'test', projectName: `program-${stacks}`, program },
    {
      workDir,
      pulumiCommand: await automation.PulumiCommand.get({ root: home.installation }),
      pulumiHome: home.env.PULUMI_HOME ?? '',
      envVars: home.env,
    },
  );
}

const network = async () => {
  const vpc = new aws.ec2.Vpc('network', { cidrBlock: '10.0.0.0/16' });
  const subnet = new aws.ec2.Subnet('first', { vpcId: vpc.id, cidrBlock: '10.0.1.0/24' });
  return { subnet: subnet.id, arn: subnet.arn };
};

test('a program is previewed, made, found unchanged, refreshed and destroyed', async () => {
  const stack = await stackOf(network);
  expect((await stack.preview()).changeSummary).toMatchObject({ create: 3 });
  const { outputs } = await stack.up();
  expect(outputs.subnet?.value).toMatch(/^first-/);
  expect(outputs.arn?.value).toMatch(/^arn:aws:ec2:/);
  await stack.up({ expectNoChanges: true });
  await stack.refresh({ expectNoChanges: true });
  expect((await stack.destroy()).summary.resourceChanges).toMatchObject({ delete: 3 });
});

test('a property that the resource does not have is refused before anything is made', async () => {
  const stack = await stackOf(async () => {
    const rule = { protocol: 'tcp', fromPort: 1, toPort: 2, cidrBlock: '0.0.0.0/0' };
    new aws.ec2.SecurityGroup('open', { ingress: [rule as { protocol: string; fromPort: number; toPort: number }] });
  });
  await expect(stack.preview()).rejects.toThrow(/ingress\[0\]\.cidrBlock is no property of this resource/);
});

test.each([
  [
    'missing inside of another',
    'SecurityGroup',
    { ingress: [{ protocol: 'tcp', fromPort: 1 }] },
    'ingress[0].toPort is missing',
  ],
  ['of another type', 'Vpc', { cidrBlock: ['10.0.0.0/16'] }, 'cidrBlock holds ["10.0.0.0/16"] and must be a string'],
])('a property that is %s is a fault', (_, name, inputs, fault) => {
  const type = `aws:ec2/${name[0]?.toLowerCase()}${name.slice(1)}:${name}`;
  expect(propertyFaults(inputs, resourceType(type).inputs)).toEqual([fault]);
});

test('a name that is longer than AWS takes is a fault', () => {
  const name = 'a-target-group-whose-name-never-ends';
  expect(nameFaults('aws:lb/targetGroup:TargetGroup', 'x', { name }).join()).toMatch(/name has 36 letters; at most 32/);
});

test('what is still used is not deleted, and what is gone is not used', async () => {
  const first = await stackOf(network);
  const { outputs } = await first.up();
  const subnetId = String(outputs.subnet?.value);
  const second = await stackOf(async () => {
    new aws.ec2.NetworkInterface('card', { subnetId });
  });
  await second.up();
  await expect(first.destroy()).rejects.toThrow(/is still used by aws:ec2\/networkInterface:NetworkInterface/);
  await second.destroy();
  await first.destroy();
  await expect(second.up()).rejects.toThrow(/which is gone/);
});

test('the stand-ins tell the versions of the packages that the programs use', async () => {
  const manifest = await readFile(new URL('../../package.json', import.meta.url), 'utf8');
  const { dependencies } = JSON.parse(manifest) as { dependencies: Record<string, string> };
  for (const name of ['aws', 'kubernetes']) {
    const provider = await readFile(new URL(`support/${name}-provider.ts`, import.meta.url), 'utf8');
    expect(provider).toContain(`version: '${dependencies[`@pulumi/${name}`]}'`);
  }
});
