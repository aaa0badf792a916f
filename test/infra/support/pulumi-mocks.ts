import * as pulumi from '@pulumi/pulumi';

/** A resource as it would be created: what the engine would be asked for. */
export interface Created {
  type: string;
  name: string;
  /** Type and name of the resource that it belongs to; undefined for what belongs to the stack itself. */
  parent: string | undefined;
  // biome-ignore lint/suspicious/noExplicitAny: a resource's inputs, of whatever type it is
  inputs: any;
  /** Paths of inputs whose changes the engine leaves alone. */
  ignores: readonly string[];
  /** Whether the engine refuses to delete it. */
  isProtected: boolean;
}

/**
 * Runs a program against Pulumi's own mocks and gives the resources that it registered, when all are, in the order of their
 * types and names. What AWS or a cluster
 * would compute is made up from the resource's name.
 * @param stashed what an earlier run stashed, by name
 * @throws what the program throws, also while resources are registered
 */
export async function createdBy(
  program: () => unknown,
  { stack = 'acme', stashed = {} }: { stack?: string; stashed?: Readonly<Record<string, unknown>> } = {},
): Promise<Created[]> {
  const created: Created[] = [];
  const parents = new Map<string, string>();
  const options = new Map<string, Pick<Created, 'ignores' | 'isProtected'>>();
  let failed: { error: unknown } | undefined;
  await pulumi.runtime.setMocks(
    {
      newResource({ type, name, inputs, id }) {
        // What is only looked at.
        if (id && type.startsWith('kubernetes:')) return { id, state: { metadata: { name: id, uid: `uid of ${id}` } } };
        const key = `${type} ${name}`;
        const { ignores = [], isProtected = false } = options.get(key) ?? {};
        created.push({ type, name, parent: parents.get(key), inputs: plain(inputs), ignores, isProtected });
        const kept = type === 'pulumi:index:Stash' && name in stashed ? { output: stashed[name] } : {};
        return { id: `${name}-id`, state: { ...inputs, ...computed(type, name, inputs), ...kept } };
      },
      call({ token }) {
        if (token.endsWith(':getAvailabilityZones')) return { names: ['eu-west-1a', 'eu-west-1b', 'eu-west-1c'] };
        if (token.endsWith(':getCallerIdentity')) return { accountId: '123456789012' };
        if (token.endsWith(':getRegion')) return { name: 'eu-west-1', region: 'eu-west-1' };
        if (token.endsWith(':getZone')) return { zoneId: 'Z1' };
        throw new Error(`No mock answers ${token}.`);
      },
    },
    'parley',
    stack,
    false,
  );
  const failures = await failuresOf(async () => {
    // As the engine runs it: below a stack, which carries the transformations that policies are.
    await pulumi.runtime.runInPulumiStack(async () => {
      pulumi.runtime.registerStackTransformation(({ type, name, opts }) => {
        const { parent, protect = false } = opts;
        const { ignoreChanges = [] } = opts as pulumi.CustomResourceOptions;
        if (parent) parents.set(`${type} ${name}`, nameOf(parent));
        options.set(`${type} ${name}`, { ignores: ignoreChanges, isProtected: protect });
        return undefined;
      });
      try {
        await program();
      } catch (error) {
        failed = { error };
      }
      return {};
    });
    await pulumi.runtime.disconnect();
  });
  if (failed) throw failed.error;
  if (failures.length > 0) throw failures[0];
  // They are registered in no order of their own.
  return created.sort((a, b) => (`${a.type} ${a.name}` < `${b.type} ${b.name}` ? -1 : 1));
}

/** What the runtime keeps to itself: its type and name. */
function nameOf(resource: pulumi.Resource): string {
  const { __pulumiType, __name } = resource as unknown as Record<'__pulumiType' | '__name', string>;
  return `${__pulumiType} ${__name}`;
}

/** A resource that can't be registered is a promise that nobody waits for: what the engine is told by `unhandledRejection`. */
async function failuresOf(run: () => Promise<void>): Promise<unknown[]> {
  const failures: unknown[] = [];
  const others = process.listeners('unhandledRejection');
  process.removeAllListeners('unhandledRejection');
  process.on('unhandledRejection', (error) => failures.push(error));
  try {
    await run().catch((error: unknown) => failures.push(error));
    // Node tells of them when the microtasks are done.
    await new Promise((resolve) => setImmediate(resolve));
  } finally {
    process.removeAllListeners('unhandledRejection');
    for (const listener of others) process.on('unhandledRejection', listener);
  }
  return failures;
}

const secretMark = '4dabf18193072939515e22adb298388d';

/** Secrets come marked; tests look at their values. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null) return value;
  if (secretMark in value && 'value' in value) return plain(value.value);
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, plain(part)]));
}

function computed(type: string, name: string, inputs: Record<string, unknown>): Record<string, unknown> {
  if (type === 'pulumi:index:Stash') return { output: inputs.input };
  if (type === 'pulumi:pulumi:StackReference') return { outputs: { foundation: sharedFoundation } };
  if (!type.startsWith('aws:')) return {};
  return {
    arn: `arn:aws:${type.split(':')[1]?.split('/')[0]}:eu-west-1:123456789012:${name}`,
    name: inputs.name ?? name,
    dnsName: `${name}.elb.test`,
    address: `${name}.rds.test`,
    endpoint: `https://${name}.eks.test`,
    zoneId: 'Z1',
    vpcConfig: { clusterSecurityGroupId: `${name}-nodes` },
    certificateAuthority: { data: 'Q0E=' },
    latestVersion: 1,
    primaryEndpointAddress: `${name}.cache.test`,
    resources: [{ autoscalingGroups: [{ name: `${name}-group` }] }],
    domainValidationOptions: ['one', 'two'].map((host) => ({
      resourceRecordName: `_${host}`,
      resourceRecordType: 'CNAME',
      resourceRecordValue: 'acm.test',
    })),
    fqdn: String(inputs.name ?? name),
  };
}

/** What another stack gives out. */
const sharedFoundation = {
  vpcId: 'shared-network',
  clusterName: 'parley-acme',
  kubeconfig: '{}',
  nodes: { 'rooms-blue': 'shared-rooms-blue', 'rooms-green': 'shared-rooms-green', general: 'shared-general' },
  balancer: { dnsName: 'shared.elb.test', zoneId: 'Z2', listenerArn: 'shared-listener' },
  databaseAddress: 'shared.rds.test',
  cacheAddress: 'shared.cache.test:6379',
  seats: { 3: { databasePassword: 'seat-password', cachePassword: 'seat-cache-password' } },
  guests: { count: 5, voice: 5, text: 40, connections: 185 },
  cidr: '10.40.0.0/16',
};

export const ofType = (created: readonly Created[], type: string): Created[] =>
  created.filter((one) => one.type === type);
