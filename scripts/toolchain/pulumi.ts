import { join } from 'node:path';
import { cachedFolder } from './cached.ts';
import { goBuild, type Progress } from './go-build.ts';

/** Tied to scripts/toolchain/pulumi/go.mod. */
const version = '3.245.0';

/**
 * The folder of the Pulumi CLI (`bin/pulumi` in it), built once (about 5 minutes on two cores): the registries of packages
 * have no binary of it.
 */
export function pulumiFolder(progress: Progress, env = process.env): Promise<string> {
  const make = (draft: string) =>
    goBuild({
      what: `the Pulumi CLI ${version}`,
      goModule: join(import.meta.dirname, 'pulumi'),
      packages: ['github.com/pulumi/pulumi/pkg/v3/cmd/pulumi'],
      target: `${join(draft, 'bin')}/`,
      variables: { 'github.com/pulumi/pulumi/sdk/v3/go/common/version.Version': `v${version}` },
      modules: 250,
      env,
      progress,
    });
  return cachedFolder({ name: `pulumi-${version}`, make, env, progress });
}
