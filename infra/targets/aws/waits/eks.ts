import { adviceOn } from './advice.ts';
import type { Wait } from './wait.ts';

/** https://docs.aws.amazon.com/eks/latest/APIReference/API_Issue.html, the same for clusters, node groups and add-ons. */
interface Healthy {
  health?: { issues?: readonly { code?: string; message?: string }[] };
}

const issuesOf = (what: string, described: Healthy | undefined): string[] =>
  (described?.health?.issues ?? []).map(
    ({ code = 'an issue', message = '' }) => `${what}: ${code}. ${message}${adviceOn(`${code} ${message}`)}`,
  );

export const controlPlane =
  (cluster: string): Wait =>
  async (ask) => {
    const answer = await ask<{ cluster: Healthy }>('eks', 'describe-cluster', '--name', cluster);
    return issuesOf('the cluster', answer?.cluster);
  };

/** Names that EKS lists of a cluster, each described by a question of its own. */
const each =
  ({ list, listed, describe, flag, described, called }: Described) =>
  (cluster: string): Wait =>
  async (ask) => {
    const of = ['--cluster-name', cluster];
    const names = (await ask<Record<string, string[]>>('eks', list, ...of))?.[listed] ?? [];
    const issues = names.map(async (name) => {
      const answer = await ask<Record<string, Healthy>>('eks', describe, ...of, flag, name);
      return issuesOf(called(name), answer?.[described]);
    });
    return (await Promise.all(issues)).flat();
  };

interface Described {
  list: string;
  listed: string;
  describe: string;
  flag: string;
  described: string;
  called(name: string): string;
}

export const nodeGroups = each({
  ...{ list: 'list-nodegroups', listed: 'nodegroups' },
  ...{ describe: 'describe-nodegroup', flag: '--nodegroup-name', described: 'nodegroup' },
  called: (name) => `nodes (${name})`,
});

export const addOns = each({
  ...{ list: 'list-addons', listed: 'addons' },
  ...{ describe: 'describe-addon', flag: '--addon-name', described: 'addon' },
  called: (name) => `add-on ${name}`,
});
