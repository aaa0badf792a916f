import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { cachedFolder } from './cached.ts';
import { goBuild, type Progress } from './go-build.ts';
import { kedaSource, kedaVersion } from './operators.ts';

/** Paths of KEDA's programs, and of what an installation of it creates beside them. */
export interface KedaPrograms {
  version: string;
  operator: string;
  /** Serves external.metrics.k8s.io, where the autoscaler of Kubernetes asks. */
  metricsAdapter: string;
  /** Service accounts, roles and services, several documents in one file. */
  manifests: string;
}

/** KEDA itself, at the version of its definitions, built once (about 20 minutes on two cores, mostly clients of clouds). */
export async function kedaPrograms(progress: Progress, env = process.env): Promise<KedaPrograms> {
  const folder = await cachedFolder({
    name: `keda-${kedaVersion}`,
    make: (draft) => makeKeda(draft, progress, env),
    env,
    progress,
  });
  return {
    version: kedaVersion,
    operator: join(folder, 'keda-operator'),
    metricsAdapter: join(folder, 'keda-adapter'),
    manifests: join(folder, 'manifests.yaml'),
  };
}

async function makeKeda(draft: string, progress: Progress, env: NodeJS.ProcessEnv): Promise<void> {
  const source = await kedaSource(env);
  await goBuild({
    what: `KEDA ${kedaVersion}`,
    // Its own go.mod and go.sum: nothing else pins what its maintainers built and tested.
    goModule: source,
    packages: ['./cmd/operator', './cmd/adapter'],
    target: `${draft}/`,
    variables: { 'github.com/kedacore/keda/v2/version.Version': kedaVersion },
    modules: 310,
    env,
    progress,
  });
  await rename(join(draft, 'operator'), join(draft, 'keda-operator'));
  await rename(join(draft, 'adapter'), join(draft, 'keda-adapter'));
  const texts = manifests.map((name) => readFile(join(source, 'config', name), 'utf8'));
  await writeFile(join(draft, 'manifests.yaml'), (await Promise.all(texts)).join('\n---\n'));
}

/** Without the Deployments: here the programs are processes. */
const manifests = [
  'general/namespace.yaml',
  'service_account/service_account.yaml',
  'rbac/role.yaml',
  'rbac/role_binding.yaml',
  'metrics-server/role.yaml',
  'metrics-server/role_binding.yaml',
  'metrics-server/api_service.yaml',
  'metrics-server/service.yaml',
  'manager/service.yaml',
];
