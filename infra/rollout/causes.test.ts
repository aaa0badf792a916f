import { expect, test } from 'vitest';
import { causesIn, type DeploymentSeen, type PodSeen, unfinishedIn } from './causes.ts';

const pod = (status: PodSeen['status'], app = 'agent'): PodSeen => ({
  metadata: { name: `${app}-1`, labels: { 'app.kubernetes.io/name': app } },
  ...(status && { status }),
});

const waiting = (reason: string, message: string) =>
  pod({ containerStatuses: [{ state: { waiting: { reason, message } } }] });

const unscheduled = (message: string) =>
  pod({ conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message }] }, 'rooms');

const deployment = (fields: DeploymentSeen['status'], generation = 2, replicas = 2): DeploymentSeen => ({
  metadata: { name: 'api', generation },
  spec: { replicas },
  ...(fields && { status: fields }),
});

test.each([
  [waiting('ImagePullBackOff', 'Back-off pulling image "x"'), 'agent: its image cannot be pulled. Back-off pulling'],
  [waiting('CrashLoopBackOff', 'back-off 5m0s'), 'agent: it ends again and again. back-off 5m0s'],
  [waiting('CreateContainerConfigError', 'secret "own" not found'), 'lacks something that it is given. secret "own"'],
  [unscheduled('0/3 nodes are available: 3 Insufficient memory.'), 'rooms: no node takes it. 0/3 nodes are available'],
  [
    unscheduled("0/1 nodes are available: 1 node(s) didn't have free ports"),
    'a node holds one room server of one tenant',
  ],
])('the cause of a wait is told in words: %#', (seen, words) => {
  expect(causesIn({ pods: [seen], deployments: [] }).join()).toContain(words);
});

test('a quota, or an admission, that refuses pods is told, and the same cause of several pods once', () => {
  const message = 'pods "api-1" is forbidden: exceeded quota: compute';
  const refused = deployment({ conditions: [{ type: 'ReplicaFailure', status: 'True', message }] });
  expect(causesIn({ pods: [], deployments: [refused] })).toEqual([`api: its pods are refused. ${message}`]);
  const twice = waiting('ErrImagePull', 'not found');
  expect(causesIn({ pods: [twice, twice], deployments: [] })).toHaveLength(1);
});

test('a pod that starts, or is done, is no cause', () => {
  const starting = waiting('ContainerCreating', '');
  expect(causesIn({ pods: [starting, pod({ phase: 'Succeeded' }), pod(undefined)], deployments: [] })).toEqual([]);
});

const done = { observedGeneration: 2, replicas: 2, updatedReplicas: 2, availableReplicas: 2 };

test('a rollout has ended when all new pods serve and no old one is left, of the generation that was asked for', () => {
  expect(unfinishedIn({ pods: [], deployments: [deployment(done)] })).toEqual([]);
  for (const open of [{ observedGeneration: 1 }, { updatedReplicas: 1 }, { availableReplicas: 1 }, { replicas: 3 }])
    expect(unfinishedIn({ pods: [], deployments: [deployment({ ...done, ...open })] })).toEqual(['api']);
  expect(unfinishedIn({ pods: [], deployments: [deployment(undefined)] })).toEqual(['api']);
  expect(unfinishedIn({ pods: [], deployments: [deployment({ observedGeneration: 2 }, 2, 0)] })).toEqual([]);
});
