/** What a volunteer does with an account of AWS, one command after the other. Pure. */

export interface Step {
  /** One sentence: what is to be seen by it. */
  shows: string;
  command: string;
  args: readonly string[];
  /** The file that what it writes is kept in. */
  into?: string;
  /** Goes on where it fails: what it says is evidence, too. */
  mayFail?: true;
}

export interface Proof {
  stack: string;
  /** Name of the tenant's database server. */
  database: string;
  namespace: string;
  /** Written conversations after it was given more capacity. */
  text: number;
}

const pulumi = (stack: string, ...args: string[]) => ({
  command: 'pulumi',
  args: [...args, '--stack', stack, '--non-interactive'],
});
const set = (stack: string, path: string, value: string): Step => ({
  shows: `${path} is ${value}`,
  ...pulumi(stack, 'config', 'set', '--path', `parley:${path}`, value),
});

/** Up, more capacity, nodes taken away, a restore, destroy: about two hours, and about 10 USD where nothing is left standing. */
export function stepsOf({ stack, database, namespace, text }: Proof): Step[] {
  const up = (shows: string): Step => ({ shows, ...pulumi(stack, 'up', '--yes', '--skip-preview') });
  const doctor: Step = {
    shows: 'the doctor finds it well, as far as it can look without a key',
    command: process.execPath,
    args: ['scripts/parley.ts', 'doctor', '--stack', stack],
    mayFail: true,
  };
  const kubectl = (...args: string[]) => ({ command: 'kubectl', args: ['--kubeconfig', kubeconfigFile, ...args] });
  return [
    { shows: 'who pays', command: 'aws', args: ['sts', 'get-caller-identity', '--output', 'json'] },
    { shows: 'the plan, with its cost', ...pulumi(stack, 'preview') },
    up('everything is made, and new pods serve'),
    {
      shows: 'a second up has nothing to change',
      ...pulumi(stack, 'up', '--yes', '--skip-preview', '--expect-no-changes'),
    },
    {
      shows: 'the cluster can be asked',
      ...pulumi(stack, 'stack', 'output', 'kubeconfig', '--show-secrets'),
      into: kubeconfigFile,
    },
    { shows: 'every pod is ready', ...kubectl('--namespace', namespace, 'get', 'pods', '--output', 'wide') },
    {
      shows: 'policies are enforced: a stranger does not reach internal ports',
      ...kubectl(...probe(namespace)),
      mayFail: true,
    },
    doctor,
    set(stack, 'capacity.text', String(text)),
    up('more capacity changes what carries it'),
    {
      shows: 'a node of agent hosts is taken away, and their conversations are given to others',
      command: 'sh',
      args: [
        '-c',
        `node=$(${kubectlText} get nodes -l parley.dev/nodes=agents -o name | head -1) && ${kubectlText} drain "$node" ${drain}`,
      ],
    },
    {
      shows: 'agent hosts are back on other nodes',
      ...kubectl('--namespace', namespace, 'rollout', 'status', 'deploy/agent', '--timeout', '20m'),
      mayFail: true,
    },
    { shows: 'the node takes pods again', ...kubectl('uncordon', '--selector', 'parley.dev/nodes=agents') },
    set(stack, 'aws.deletionProtection', 'false'),
    up('the database may be replaced'),
    set(stack, 'database.restoreFrom.instance', database),
    up('a database as it was a few minutes ago takes its place'),
    doctor,
    set(stack, 'mayErase', stack),
    up('everything may go'),
    { shows: 'everything goes', ...pulumi(stack, 'destroy', '--yes', '--skip-preview') },
    {
      shows: 'nothing that costs is left but snapshots of the database',
      command: 'aws',
      args: [
        'resourcegroupstaggingapi',
        'get-resources',
        '--tag-filters',
        `Key=parley:tenant,Values=${stack}`,
        '--output',
        'json',
      ],
      mayFail: true,
    },
  ];
}

/** Beside the checkout's own files. */
export const kubeconfigFile = 'parley-proof.kubeconfig';

const kubectlText = `kubectl --kubeconfig ${kubeconfigFile}`;
const drain = '--ignore-daemonsets --delete-emptydir-data --timeout 20m';

const probe = (namespace: string) => [
  ...['--namespace', 'default', 'run', 'probe', '--rm', '--attach', '--restart', 'Never', '--image', 'busybox', '--'],
  ...['wget', '-T', '5', '-O-', `http://api-internal.${namespace}:7801/metrics`],
];
