import { adviceOn } from './advice.ts';
import type { Wait } from './wait.ts';

/** https://docs.aws.amazon.com/autoscaling/ec2/APIReference/API_Activity.html, the newest first. */
interface Activity {
  AutoScalingGroupName: string;
  StatusCode: string;
  StatusMessage?: string;
}
interface Groups {
  AutoScalingGroups: readonly { AutoScalingGroupName: string }[];
}

/** What EC2 has refused or done; EKS says the same of its node groups some minutes later. */
const decided = new Set(['Failed', 'Successful', 'Cancelled']);

/** Instances that a node group asks for and does not get. */
export const instances =
  (cluster: string): Wait =>
  async (ask) => {
    const ofCluster = ['--filters', `Name=tag:eks:cluster-name,Values=${cluster}`];
    const groups = await ask<Groups>('autoscaling', 'describe-auto-scaling-groups', ...ofCluster);
    if (!groups || groups.AutoScalingGroups.length === 0) return [];
    // Of all groups in one answer.
    const answer = await ask<{ Activities: readonly Activity[] }>(
      ...['autoscaling', 'describe-scaling-activities', '--max-items', '100'],
    );
    return groups.AutoScalingGroups.flatMap(({ AutoScalingGroupName: name }) => {
      const own = (answer?.Activities ?? []).filter(({ AutoScalingGroupName }) => AutoScalingGroupName === name);
      const last = own.find(({ StatusCode }) => decided.has(StatusCode));
      if (last?.StatusCode !== 'Failed') return [];
      const { StatusMessage = '' } = last;
      return [`nodes (${name}): EC2 starts none. ${StatusMessage}${adviceOn(StatusMessage)}`];
    });
  };
