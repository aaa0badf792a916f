import { expect, test } from 'vitest';
import { readTenant } from '../../../infra/config.ts';
import { refuseWhatCannotWork, stackFields, type Wanted } from './new/fields.ts';

const image = (name: string) => `${name}@sha256:${'0'.repeat(64)}`;

const onCluster: Wanted = {
  ...{ name: 'dev', target: 'kubernetes', domain: 'dev.example.com', voice: 2, text: 20, owner: undefined },
  images: { services: image('parley'), roomServer: image('livekit'), database: image('postgres') },
  cluster: {
    ...{ context: 'default', nodeCidrs: ['192.0.2.10/32'], ingressClass: 'nginx' },
    ...{ certificateIssuer: 'letsencrypt', hasKeda: false },
  },
};

const asTexts = (fields: Record<string, unknown>) =>
  Object.fromEntries(
    Object.entries(fields).map(([key, value]) => [key, typeof value === 'string' ? value : JSON.stringify(value)]),
  );

test('what is written is a tenant of the cluster that was asked', () => {
  const tenant = readTenant('dev', asTexts(stackFields(onCluster)));
  expect(tenant.kubernetes).toMatchObject({ ingressNamespace: 'ingress-nginx', certificateIssuer: 'letsencrypt' });
  expect(tenant.autoscaling).toBe('fixed');
});

test('on aws it has a foundation of its own, or a slot of another', () => {
  const account = {
    ...{ region: 'eu-west-1', hostedZone: 'example.com', operatorCidrs: ['203.0.113.7/32'] },
    ...{ certificateAuthority: 'rds-eu-west-1.pem', foundation: undefined },
  };
  const own: Wanted = { ...onCluster, target: 'aws', cluster: undefined, account };
  const { database: _, ...images } = onCluster.images;
  expect(readTenant('dev', asTexts(stackFields({ ...own, images }))).foundation).toBe('create');
  const foundation = { stack: 'organization/parley/acme', slot: 2 };
  const guest = readTenant('dev', asTexts(stackFields({ ...own, images, account: { ...account, foundation } })));
  expect([guest.foundation, guest.aws.operatorCidrs]).toEqual([foundation, []]);
});

test.each([
  ['Dev', {}, 'The stack\'s name "Dev"'],
  ['dev', { voice: 0, text: 0 }, 'at least one conversation'],
  [
    'dev',
    { voice: 5_000, text: 50_000, images: { ...onCluster.images, cache: image('valkey') } },
    'made for 2700 at most',
  ],
  ['dev', { voice: 50, text: 500 }, 'give its image by digest'],
  ['dev', { domain: 'not a name' }, 'parley:domain'],
])('what cannot work is refused with a sentence: %s %j', (name, fields, sentence) => {
  expect(() => refuseWhatCannotWork(name, stackFields({ ...onCluster, ...fields }))).toThrow(sentence);
});
