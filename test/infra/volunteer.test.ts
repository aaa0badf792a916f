import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import { roomNodes } from '../../infra/versions.ts';
import { prove, type Runner } from '../../scripts/cli/stack/prove/evidence.ts';
import { stepsOf } from '../../scripts/cli/stack/prove/steps.ts';
import { startCluster } from './support/cluster.ts';
import { type ControlPlane, fakeNode } from './support/control-plane.ts';
import { openProject, openPulumi, type PulumiHome, ShellStack, useExample } from './support/pulumi.ts';

const minute = 60_000;
const isLong = process.env.SOAK_INFRA !== undefined;

let cluster: ControlPlane;
let home: PulumiHome;
let project: string;

beforeAll(async () => {
  if (!isLong) return;
  cluster = await startCluster();
  const { clusters, users } = parse(cluster.kubeconfig);
  home = await openPulumi({
    STAND_IN_CLUSTER_URL: clusters[0].cluster.server,
    STAND_IN_CLUSTER_CA: clusters[0].cluster['certificate-authority-data'],
    STAND_IN_CLUSTER_TOKEN: users[0].user.token,
  });
  for (const group of ['rooms', 'agents', 'general'])
    for (const zone of ['a', 'b']) {
      const taints = group === 'rooms' ? [{ key: 'parley.dev/nodes', value: group, effect: 'NoSchedule' }] : [];
      const colour = group === 'rooms' ? { 'parley.dev/rooms': roomNodes.active } : {};
      const labels = { 'parley.dev/nodes': group, ...colour };
      await cluster.api.apply(fakeNode(`${group}-${zone}`, zone, labels, taints));
    }
  project = await openProject(home);
  await writeFile(join(project, 'rds.pem'), '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n');
}, 60 * minute);

afterAll(async () => {
  await home?.[Symbol.asyncDispose]();
  await cluster?.[Symbol.asyncDispose]();
});

/** What no stand-in answers: who pays, what the doctor finds, a probe from a pod, and what is left. */
const elsewhere = (command: string, args: readonly string[]) =>
  ['aws', process.execPath].includes(command) || args.includes('probe');

test.runIf(isLong)(
  'what a volunteer does with an account of AWS can be done with the stand-in, from up to destroy',
  async () => {
    await useExample(project, 'acme');
    await new ShellStack(home, project, 'acme').init();
    const run: Runner = (command, args) =>
      elsewhere(command, args)
        ? Promise.resolve({ succeeded: true, output: 'not asked here', stdout: '' })
        : new Promise((resolve) => {
            const options = { cwd: project, env: home.env, maxBuffer: 64 * 1024 * 1024 };
            execFile(command, [...args], options, (error, stdout, stderr) =>
              resolve({ succeeded: error === null, output: stdout + stderr, stdout }),
            );
          });
    const steps = stepsOf({ stack: 'acme', database: 'parley-acme', namespace: 'parley-acme', text: 600 });
    const inProject = steps.map((step) => (step.into ? { ...step, into: join(project, step.into) } : step));
    const evidence = await prove('acme', inProject, {
      ...{ run, now: Date.now },
      keep: (seen) => writeFile(join(project, 'evidence.json'), JSON.stringify(seen, null, 2)),
      say: (line) => void process.stderr.write(`${line}\n`),
    });
    const failed = evidence.steps.filter(({ succeeded }) => !succeeded);
    expect(failed.map(({ command, said }) => `${command}\n${said}`)).toEqual([]);
    expect(evidence.complete).toBe(true);
    const said = evidence.steps.map((step) => step.said).join('\n');
    expect(said).not.toContain('could not be asked by kubectl');
  },
  60 * minute,
);
