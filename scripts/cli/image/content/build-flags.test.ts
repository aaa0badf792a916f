import { expect, test } from 'vitest';
import { buildFlags } from './build-flags.ts';

const given = { reference: 'registry.test/parley:1', metadataFile: 'm.json', push: true, platform: undefined };

test('what goes to the registry is for nodes, whatever machine builds it, or for those that somebody names', () => {
  expect(buildFlags(given).join(' ')).toContain('--platform linux/amd64 --push');
  expect(buildFlags({ ...given, platform: 'linux/arm64' }).join(' ')).toContain('--platform linux/arm64 --push');
  expect(buildFlags({ ...given, platform: 'linux/amd64,linux/arm64' })).toContain('linux/amd64,linux/arm64');
});

test('what stays here is for this machine', () => {
  expect(buildFlags({ ...given, push: false })).not.toContain('--platform');
});
