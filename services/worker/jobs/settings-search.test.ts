import { createRequire } from 'node:module';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '../../..');

test('graphile-worker looks for settings no further than this repository: a parent may be closed to whoever starts it', () => {
  const ofGraphile = createRequire(createRequire(import.meta.url).resolve('graphile-worker'));
  const { cosmiconfigSync } = ofGraphile('cosmiconfig') as {
    cosmiconfigSync: (name: string) => { search(from: string): { filepath: string } | null };
  };
  expect(cosmiconfigSync('graphile-worker').search(root)?.filepath).toBe(join(root, 'package.json'));
});
