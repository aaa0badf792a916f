import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { abandonedFolders, folderPrefix } from './abandoned-folders.ts';

let parent: string;
beforeAll(async () => {
  parent = await mkdtemp(join(tmpdir(), 'parley-abandoned-'));
});
afterAll(() => rm(parent, { recursive: true, force: true }));

const ofProcess = (pid: number | undefined, more: string) =>
  `${folderPrefix().replace(`-${process.pid}-`, `-${pid}-`)}${more}`;

test('only folders whose process is gone are abandoned', async () => {
  const child = spawn(process.execPath, ['-e', '0'], { stdio: 'ignore' });
  await once(child, 'exit');
  const dead = ofProcess(child.pid, 'aaaaaa');
  const formerly = ofProcess(process.pid, 'bbbbbb');
  const others = [
    ofProcess(process.pid, 'cccccc'),
    ofProcess(process.ppid, 'dddddd'),
    `parley-git-another.host-${child.pid}-eeeeee`,
    ofProcess(child.pid, 'not-one-of-ours'),
    'parley-git-ffffff',
  ];
  for (const name of [dead, formerly, ...others]) await mkdir(join(parent, name));
  const longAgo = new Date(Date.now() - 365 * 86_400_000);
  await utimes(join(parent, formerly), longAgo, longAgo);
  await symlink(parent, join(parent, ofProcess(child.pid, 'gggggg')));
  await writeFile(join(parent, ofProcess(child.pid, 'hhhhhh')), '');
  expect((await abandonedFolders(parent)).map((folder) => basename(folder)).toSorted()).toEqual(
    [dead, formerly].toSorted(),
  );
  expect(await abandonedFolders(join(parent, 'nowhere'))).toEqual([]);
});
