import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { bridgesFinding, checkTelephone } from './telephone.ts';

const seen = (replicas: number, readyReplicas?: number) => ({
  spec: { replicas },
  status: readyReplicas === undefined ? {} : { readyReplicas },
});

test('bridges that all take calls are well, some are to be looked at, none is a failure', () => {
  expect(bridgesFinding(seen(2, 2))).toMatchObject({ state: 'ok', says: '2 of 2 SIP bridges take calls.' });
  expect(bridgesFinding(seen(2, 1))).toMatchObject({ state: 'warning', todo: expect.stringContaining('ParleyPhone') });
  // Kubernetes leaves out what is none.
  expect(bridgesFinding(seen(1))).toMatchObject({ state: 'failed', todo: expect.stringContaining('ParleyPhone') });
});

test('the cluster is asked in the namespace of the bridges; one that does not answer is a failure with what to do', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'parley-kubectl-'));
  try {
    const env = { PATH: `${folder}:${process.env.PATH}` };
    const kubectl = async (script: string) => {
      await writeFile(join(folder, 'kubectl'), `#!/bin/sh\n${script}\n`);
      await chmod(join(folder, 'kubectl'), 0o755);
    };
    await kubectl(`[ "$2" = parley-acme-phone ] && echo '${JSON.stringify(seen(2, 2))}'`);
    expect(await checkTelephone('parley-acme-phone', env)).toMatchObject({ state: 'ok' });
    await kubectl('exit 1');
    expect(await checkTelephone('parley-acme-phone', env)).toMatchObject({
      state: 'failed',
      todo: expect.stringContaining('kubectl --namespace parley-acme-phone get deployment phone'),
    });
  } finally {
    await rm(folder, { recursive: true });
  }
});
