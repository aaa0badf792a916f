import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { cachedFolder } from './cached.ts';
import { goModuleFolder, type Progress } from './go-build.ts';

/** Tied to scripts/toolchain/operators/go.mod. */
export const kedaVersion = '2.18.0';
const cloudNativePgVersion = '1.27.0';
const secretsStoreVersion = '1.5.3';
const goModule = join(import.meta.dirname, 'operators');

/** The source of KEDA, fetched and checked. */
export const kedaSource = (env: NodeJS.ProcessEnv) =>
  goModuleFolder('KEDA', goModule, 'github.com/kedacore/keda/v2', env);

/** Folders of custom resource definitions, as the operators publish them. */
export interface OperatorDefinitions {
  keda: string;
  cloudNativePg: string;
  /** The CSI driver that brings secrets of a cloud to pods. */
  secretsStore: string;
}

export async function operatorDefinitions(progress: Progress, env = process.env): Promise<OperatorDefinitions> {
  const definitions = (what: string, name: string, path: string) =>
    cachedFolder({
      name,
      make: async (draft) => {
        const source = await goModuleFolder(what, goModule, path, env);
        await copyFiles(join(source, 'config', 'crd', 'bases'), draft);
      },
      env,
      progress,
    });
  return {
    keda: await definitions('KEDA', `keda-definitions-${kedaVersion}`, 'github.com/kedacore/keda/v2'),
    cloudNativePg: await definitions(
      'CloudNativePG',
      `cloudnative-pg-definitions-${cloudNativePgVersion}`,
      'github.com/cloudnative-pg/cloudnative-pg',
    ),
    secretsStore: await definitions(
      'the secrets store driver',
      `secrets-store-definitions-${secretsStoreVersion}`,
      'sigs.k8s.io/secrets-store-csi-driver',
    ),
  };
}

/** Content only: files of the module cache may not be written, and neither might a copy. */
async function copyFiles(from: string, to: string): Promise<void> {
  const names = await readdir(from);
  await Promise.all(names.map(async (name) => writeFile(join(to, name), await readFile(join(from, name)))));
}
