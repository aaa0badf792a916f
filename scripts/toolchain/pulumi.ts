import { join } from 'node:path';
import { cachedFolder } from './cached.ts';
import { goBuild, type Progress } from './go-build.ts';

/** Tied to scripts/toolchain/pulumi/go.mod. */
const version = '3.245.0';

/** The Pulumi CLI, built once (about 5 minutes on two cores): the registries of packages have no binary of it. */
export async function pulumiPath(progress: Progress, env = process.env): Promise<string> {
  const make = (draft: string) =>
    goBuild({
      what: `the Pulumi CLI ${version}`,
      goModule: join(import.meta.dirname, 'pulumi'),
      packages: ['github.com/pulumi/pulumi/pkg/v3/cmd/pulumi'],
      target: join(draft, 'pulumi'),
      variables: { 'github.com/pulumi/pulumi/sdk/v3/go/common/version.Version': `v${version}` },
      modules: 250,
      env,
      progress,
    });
  return join(await cachedFolder({ name: `pulumi-${version}`, make, env, progress }), 'pulumi');
}
