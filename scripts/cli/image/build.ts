import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Command } from '@commander-js/extra-typings';
import { runHere } from '../../toolchain/commands.ts';
import { Fault } from '../../toolchain/fault.ts';
import { buildFlags } from './content/build-flags.ts';
import { contentTag } from './content/tag.ts';

const root = join(import.meta.dirname, '../../..');
const run = promisify(execFile);
const say = (line: string) => process.stdout.write(`${line}\n`);

export const command = new Command()
  .description('Builds the image with Docker, and writes its list of packages to parley-image.sbom.json')
  .argument('<name>', 'repository of the image, such as registry.example.com/parley; the tag is made of the content')
  .option('--platform <platform>', 'what it is to run on, such as linux/arm64; otherwise this machine')
  .action((name, { platform }) => build(name, { push: false, platform }));

/** Builds `<name>:<tag>`; with `push` it goes to the registry, without it to this machine's Docker. @throws Fault */
export async function build(
  name: string,
  { push, platform }: { push: boolean; platform: string | undefined },
): Promise<void> {
  const reference = `${name}:${await contentTag(root)}`;
  await writeSbom();
  const metadataFile = join(root, 'parley-image.metadata.json');
  const flags = buildFlags({ reference, metadataFile, push, platform });
  if (!(await runHere('docker', ['buildx', 'build', ...flags, root]))) {
    throw new Fault(
      'The image was not built: Docker with buildx has to be installed and running; its own words are above.',
    );
  }
  say(`Built ${reference}.`);
  if (!push) return;
  const told = JSON.parse(await readFile(metadataFile, 'utf8')) as { 'containerimage.digest': string };
  say(`parley:images.services is ${name}@${told['containerimage.digest']}`);
}

async function writeSbom(): Promise<void> {
  const asked = ['sbom', '--package-lock-only', '--omit', 'dev', '--sbom-format', 'cyclonedx'];
  const { stdout } = await run('npm', asked, { cwd: root, maxBuffer: 64 * 1024 * 1024 });
  await writeFile(join(root, 'parley-image.sbom.json'), stdout);
}
