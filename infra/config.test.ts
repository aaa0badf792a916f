import { describe, expect, test } from 'vitest';
import { readTenant } from './config.ts';

const digest = `sha256:${'0'.repeat(64)}`;

const given = (fields: Record<string, unknown>) =>
  Object.fromEntries(
    Object.entries(fields)
      .filter(([, value]) => value !== undefined)
      .map(([key, value]) => [
        key.includes(':') ? key : `parley:${key}`,
        typeof value === 'string' ? value : JSON.stringify(value),
      ]),
  );

const small = {
  target: 'kubernetes',
  domain: 'dev.example.com',
  capacity: { voice: 2, text: 20 },
  images: { services: `parley@${digest}`, roomServer: `livekit@${digest}`, database: `postgres@${digest}` },
  kubernetes: { context: 'here', certificateIssuer: 'letsencrypt', nodeCidrs: ['192.0.2.10/32'] },
};

const faultsOf = (stack: string, fields: Record<string, unknown>): string => {
  try {
    readTenant(stack, given(fields));
  } catch (error) {
    return (error as Error).message;
  }
  return '';
};

test('a small configuration is filled in', () => {
  const tenant = readTenant('dev', given({ ...small, 'aws:region': 'eu-west-1' }));
  expect(tenant).toMatchObject({
    slug: 'dev',
    name: 'dev',
    foundation: 'create',
    capacity: { voice: 2, text: 20, coldStart: 'never', coldStartSeconds: 180 },
    features: { webhook: true },
    longestConversation: '1h',
    autoscaling: 'keda',
  });
});

test('every fault is told at once, each by its path', () => {
  const message = faultsOf('Acme', {
    ...small,
    target: 'azure',
    domian: 'dev.example.com',
    capacity: { voice: -1, txt: 3 },
    images: { services: 'parley:latest', roomServer: `livekit@${digest}` },
  });
  for (const part of [
    'The stack\'s name "Acme"',
    'parley:target: "target" must be kubernetes or aws, not "azure".',
    'parley:domian: There is no field "domian". Did you mean "domain"?',
    'parley:capacity.voice: "capacity.voice" must be between 0 and 5000, not -1.',
    'parley:capacity.txt: There is no field "txt" in "capacity". Did you mean "text"?',
    'parley:capacity.text: The field "text" is missing',
    'parley:images.services: "images.services" is not right: "parley:latest". An image by digest',
  ]) {
    expect(message).toContain(part);
  }
});

test('empty sections, as Pulumi gives the defaults of Pulumi.yaml, are of no target', () => {
  expect(faultsOf('dev', { ...small, aws: {}, guests: undefined })).toBe('');
});

test('a secret is never shown in a fault', () => {
  const message = faultsOf('dev', { ...small, secrets: { 'not a name': 'hunter2', OPENAI_API_KEY: 7 } });
  expect(message).toContain('parley:secrets');
  expect(message).not.toContain('hunter2');
});

test('passwords are refused only beside an identity provider', () => {
  expect(faultsOf('dev', { ...small, signIn: { passwords: 'refused' } })).toContain(
    'parley:signIn.issuer: The field "issuer" is missing',
  );
});

test('a map that is no map is told as one', () => {
  expect(faultsOf('dev', { ...small, capacity: 'plenty' })).toContain(
    '"capacity" must be a map of fields, not the text',
  );
  expect(faultsOf('dev', { ...small, capacity: '{voice' })).toContain('"capacity" must be a map of fields');
});

test.each([
  ['capacity', { capacity: { voice: 0, text: 0 } }, 'at least one conversation'],
  ['agents.folder', { agents: { folder: 'agents', repository: 'https://git.test/a.git' } }, 'from one of them'],
  [
    'agents.token',
    { agents: { repository: 'https://git.test/a.git', token: 'GIT_TOKEN' } },
    'There is no secret GIT_TOKEN',
  ],
  [
    'agents.sshKnownHosts',
    { secrets: { KEY: 'k' }, agents: { repository: 'git@git.test:a.git', sshKey: 'KEY' } },
    'known_hosts',
  ],
  ['environment.SHOP', { environment: { SHOP: 'a' }, secrets: { SHOP: 'b' } }, 'keep one'],
  ['environment.PARLEY_TENANT', { environment: { PARLEY_TENANT: 'b' } }, 'belongs to the services'],
  ['images.database', { images: { ...small.images, database: undefined } }, 'give its image'],
  ['images.cache', { capacity: { voice: 50, text: 500 } }, 'several replicas'],
  ['database', { database: { kind: 'existing' } }, 'needs url and adminUrl'],
  ['database.kind', { database: { url: 'postgres://a@b/c' } }, 'set kind to existing'],
  ['images.pullSecret', { images: { ...small.images, pullSecret: 'REGISTRY' } }, 'There is no secret REGISTRY'],
  [
    'images.pullSecret',
    { secrets: { REGISTRY: 'hunter2' }, images: { ...small.images, pullSecret: 'REGISTRY' } },
    'is no .dockerconfigjson',
  ],
  ['rotation.roomKeyInUse', { rotation: { roomKeyInUse: 2 } }, 'There are 1 keys'],
  ['rotation.serverPassword', { rotation: { serverPassword: 2 } }, 'Only RDS'],
  ['rotation.guestPasswords', { rotation: { guestPasswords: 2 } }, 'Only aws'],
  [
    'rotation.ownerPassword',
    {
      database: { kind: 'existing', url: 'postgres://a@b/c', adminUrl: 'postgres://a@b/c' },
      rotation: { ownerPassword: 2 },
    },
    'change its password there',
  ],
  ['rotation.guestPasswords', { target: 'aws', rotation: { guestPasswords: 2 } }, 'has no guests'],
  [
    'rotation',
    { target: 'aws', foundation: { stack: 'a/b/c', slot: 1 }, rotation: { cachePassword: 2 } },
    'raise rotation.guestPasswords there',
  ],
  ['keys.master', { keys: { master: 'k1:short' } }, 'openssl rand -base64 32'],
  ['transforms', { transforms: 'transforms.py' }, 'is not right'],
  ['kubernetes', { kubernetes: {} }, 'either certificateIssuer or certificateSecret'],
  ['kubernetes.context', { kubernetes: { certificateIssuer: 'x' } }, 'Name the context of the kubeconfig'],
  ['aws', { aws: { hostedZone: 'example.com' } }, 'settings of the target aws, and this stack'],
  ['images.database', { database: { kind: 'cloudnativepg' } }, 'version from the tag'],
  ['mayErase', { mayErase: 'acme' }, 'only "dev"'],
  ['kubernetes.nodeCidrs', { kubernetes: { certificateIssuer: 'x' } }, 'Say where nodes have their addresses'],
  ['foundation', { foundation: 'create' }, 'Only aws has foundations'],
  ['aws.hostedZone', { target: 'aws' }, 'Route 53 zone'],
  ['database.certificateAuthority', { target: 'aws' }, 'PEM file'],
  ['agents.pushSecret', { target: 'aws', secrets: { HOOK: 's' }, agents: { pushSecret: 'HOOK' } }, 'is polled'],
  ['agents.passesSecret', { target: 'aws', secrets: { PASSES: 's' }, agents: { passesSecret: 'PASSES' } }, 'runs the'],
  ['domain', { target: 'aws', aws: { hostedZone: 'example.org' } }, 'does not lie in the zone'],
])('%s: fields go together', (path, fields, words) => {
  const message = faultsOf('dev', { ...small, ...fields });
  expect(message).toContain(`parley:${path}: `);
  expect(message).toContain(words);
});

describe('a telephone', () => {
  const carrier = { name: 'carrier', address: 'sip.example.net:5060', allowedAddresses: ['203.0.113.16/28'] };
  const number = { number: '+4930123456', trunk: 'carrier', agent: 'desk' };
  const withPhone = (phone: object, fields: object = {}) => ({
    ...small,
    ...fields,
    images: { ...small.images, cache: small.images.services, sipBridge: small.images.services },
    phone: { calls: 1, carriers: ['203.0.113.16/28'], ...phone },
  });

  test('is filled in: what costs money is closed, and calls are taken always', () => {
    const { phone } = readTenant('dev', given(withPhone({ trunks: [carrier], numbers: [number] })));
    expect(phone?.trunks).toEqual([
      {
        ...carrier,
        transport: 'udp',
        allowedPrefixes: [],
        maxDialsPerMinute: 0,
        maxCallsPerDay: 0,
        maxMinutesPerDay: 0,
      },
    ]);
    expect(phone?.numbers).toEqual([{ ...number, whenRefused: 'busy' }]);
  });

  test.each([
    ['trunks.1.name', { trunks: [carrier, carrier] }, 'Another trunk is called "carrier"'],
    ['trunks.0.password', { trunks: [{ ...carrier, username: 'us' }] }, 'username and password together'],
    ['trunks.0.allowedAddresses', { trunks: [{ ...carrier, allowedAddresses: [] }] }, 'Anybody could call in'],
    ['trunks.0.password', { trunks: [{ ...carrier, username: 'us', password: 'WORD' }] }, 'There is no secret WORD'],
    ['trunks.0.password', { trunks: [{ ...carrier, username: 'us', password: 'PGWORD' }] }, 'belongs to the services'],
    ['numbers.0.number', { trunks: [carrier], numbers: [{ ...number, number: '030123' }] }, '+4930123456'],
    ['numbers.0.number', { trunks: [carrier], numbers: [{ ...number, number: 4930123456 }] }, 'must be text'],
    ['numbers.1.number', { trunks: [carrier], numbers: [number, number] }, 'is declared already'],
    ['numbers.0.trunk', { trunks: [carrier], numbers: [{ ...number, trunk: 'x' }] }, 'phone.trunks has carrier'],
    ['numbers.0.trunk', { numbers: [number] }, 'phone.trunks has none'],
    [
      'numbers.0.hours',
      { trunks: [carrier], numbers: [{ ...number, hours: { zone: 'Europe/Nowhere', open: [] } }] },
      'no time zone',
    ],
    [
      'numbers.0.language',
      { trunks: [carrier], numbers: [{ ...number, agent: undefined, language: 'de' }] },
      'give agent',
    ],
  ])('%s: %j is refused', (path, phone, words) => {
    const message = faultsOf('dev', withPhone(phone));
    expect(message).toContain(`parley:phone.${path}: `);
    expect(message).toContain(words);
  });

  test('a trunk may have its password in a secret', () => {
    const trunks = [{ name: 'carrier', address: 'sip.example.net', username: 'us', password: 'WORD' }];
    expect(faultsOf('dev', withPhone({ trunks }, { secrets: { WORD: 'a good one' } }))).toBe('');
  });
});

test.each(['10.0.0.0/33', '10.0.0.256/8', '10.0.0.0'])('%s is no range', (range) => {
  expect(faultsOf('dev', { ...small, kubernetes: { ...small.kubernetes, nodeCidrs: [range] } })).toContain(
    'parley:kubernetes.nodeCidrs',
  );
});

test('a shared foundation is named with a slot', () => {
  const aws = {
    ...small,
    target: 'aws',
    kubernetes: undefined,
    aws: { hostedZone: 'example.com' },
    database: { certificateAuthority: 'rds.pem' },
  };
  expect(readTenant('dev', given({ ...aws, foundation: { stack: 'acme/parley/shared', slot: 3 } })).foundation).toEqual(
    {
      stack: 'acme/parley/shared',
      slot: 3,
    },
  );
  expect(faultsOf('dev', { ...aws, foundation: { stack: 'shared' } })).toContain('parley:foundation.slot');
  expect(faultsOf('dev', { ...aws, foundation: 'crate' })).toContain('parley:foundation');
});

test('a judge of scenarios and an engine of speech are set up by variables', () => {
  expect(
    faultsOf('dev', { ...small, environment: { PARLEY_JUDGE_MODEL: 'judge', PARLEY_SPEECH_RECOGNIZER: 'hear' } }),
  ).toBe('');
});
