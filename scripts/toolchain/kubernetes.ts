import { readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { cachedFolder } from './cached.ts';
import { goBuild, goModuleFolder, type Progress } from './go-build.ts';

/** Tied to scripts/toolchain/kubernetes/go.mod and scripts/toolchain/kwok/go.mod. */
export const kubernetesVersion = '1.36.3';
export const kwokVersion = '0.8.0';

/** Paths of the programs of a control plane. */
export interface KubernetesPrograms {
  etcd: string;
  apiServer: string;
  controllerManager: string;
  scheduler: string;
  /** Plays the kubelets of nodes that don't exist. */
  kwok: string;
  /** What kwok makes of pods and nodes: its own stages for "running at once". */
  kwokStages: string;
}

/** The control plane of Kubernetes, built once (about 5 minutes on two cores). */
export async function kubernetesPrograms(progress: Progress, env = process.env): Promise<KubernetesPrograms> {
  const kubernetes = await cachedFolder({
    name: `kubernetes-${kubernetesVersion}`,
    make: (draft) => makeKubernetes(draft, progress, env),
    env,
    progress,
  });
  const kwok = await cachedFolder({
    name: `kwok-${kwokVersion}`,
    make: (draft) => makeKwok(draft, progress, env),
    env,
    progress,
  });
  return {
    etcd: join(kubernetes, 'etcd'),
    apiServer: join(kubernetes, 'kube-apiserver'),
    controllerManager: join(kubernetes, 'kube-controller-manager'),
    scheduler: join(kubernetes, 'kube-scheduler'),
    kwok: join(kwok, 'kwok'),
    kwokStages: join(kwok, 'stages.yaml'),
  };
}

async function makeKubernetes(draft: string, progress: Progress, env: NodeJS.ProcessEnv): Promise<void> {
  const [major = '', minor = ''] = kubernetesVersion.split('.');
  await goBuild({
    what: `Kubernetes ${kubernetesVersion} with etcd`,
    goModule: join(import.meta.dirname, 'kubernetes'),
    packages: [
      'k8s.io/kubernetes/cmd/kube-apiserver',
      'k8s.io/kubernetes/cmd/kube-controller-manager',
      'k8s.io/kubernetes/cmd/kube-scheduler',
      'go.etcd.io/etcd/server/v3',
    ],
    target: `${draft}/`,
    variables: {
      'k8s.io/component-base/version.gitVersion': `v${kubernetesVersion}`,
      'k8s.io/component-base/version.gitMajor': major,
      'k8s.io/component-base/version.gitMinor': minor,
    },
    modules: 150,
    env,
    progress,
  });
  await rename(join(draft, 'server'), join(draft, 'etcd'));
}

async function makeKwok(draft: string, progress: Progress, env: NodeJS.ProcessEnv): Promise<void> {
  const goModule = join(import.meta.dirname, 'kwok');
  const what = `kwok ${kwokVersion}`;
  await goBuild({
    what,
    goModule,
    packages: ['sigs.k8s.io/kwok/cmd/kwok'],
    target: join(draft, 'kwok'),
    modules: 80,
    env,
    progress,
  });
  const source = await goModuleFolder(what, goModule, 'sigs.k8s.io/kwok', env);
  const stages = await Promise.all(
    ['pod/fast', 'node/fast', 'node/heartbeat-with-lease'].map((name) =>
      stagesIn(join(source, 'kustomize', 'stage', name)),
    ),
  );
  await writeFile(join(draft, 'stages.yaml'), stages.flat().join('\n---\n'));
}

async function stagesIn(folder: string): Promise<string[]> {
  const files = (await readdir(folder)).filter((name) => /^(pod|node)-.*\.yaml$/.test(name)).sort();
  return Promise.all(files.map((name) => readFile(join(folder, name), 'utf8')));
}
