/** `npm run image`: tells the tag of this checkout's image; with `--build <name>` builds it, with `--push` sends it, too. */
import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { contentTag } from './image/content.ts';
import { runHere } from './toolchain/commands.ts';
import { Fault } from './toolchain/fault.ts';
import { readArguments, runScript } from './toolchain/script.ts';

const root = join(import.meta.dirname, '..');
const run = promisify(execFile);
const say = (line: string) => process.stdout.write(`${line}\n`);

const help = `Usage: npm run image -- [--build <name> [--push]]

Tells the tag of the image, which is made of its content: the same files have the same tag.

  --build   builds <name>:<tag> with Docker and writes its list of packages to parley-image.sbom.json
  --push    sends it to the registry, and tells the reference by digest that a stack's configuration takes`;

await runScript(async (args) => {
  const { values } = readArguments({
    args,
    options: { build: { type: 'string' }, push: { type: 'boolean' }, help: { type: 'boolean', short: 'h' } },
  });
  if (values.help) say(help);
  else if (values.build !== undefined) await build(values.build, values.push ?? false);
  else if (values.push) throw new Fault('Say with --build what is sent. Add --help to see what there is.');
  else say(await contentTag(root));
});

async function build(name: string, push: boolean): Promise<void> {
  const reference = `${name}:${await contentTag(root)}`;
  await writeSbom();
  const metadata = join(root, 'parley-image.metadata.json');
  const flags = ['--tag', reference, '--metadata-file', metadata, push ? '--push' : '--load'];
  if (!(await runHere('docker', ['buildx', 'build', ...flags, root]))) {
    throw new Fault(
      'The image was not built: Docker with buildx has to be installed and running; its own words are above.',
    );
  }
  say(`Built ${reference}.`);
  if (!push) return;
  const told = JSON.parse(await readFile(metadata, 'utf8')) as { 'containerimage.digest': string };
  say(`parley:images.services is ${name}@${told['containerimage.digest']}`);
}

async function writeSbom(): Promise<void> {
  const asked = ['sbom', '--package-lock-only', '--omit', 'dev', '--sbom-format', 'cyclonedx'];
  const { stdout } = await run('npm', asked, { cwd: root, maxBuffer: 64 * 1024 * 1024 });
  await writeFile(join(root, 'parley-image.sbom.json'), stdout);
}
