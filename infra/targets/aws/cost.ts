/** What a tenant costs on AWS before it is spent. Pure. */

import type { Cost, CostLine } from '../../cost.ts';
import { targetShare, voiceSessionsPerRoomServer } from '../../plan/measured.ts';
import type { TenantPlan } from '../../plan/tenant-plan.ts';
import { type AwsPlan, agentPodsPerNode, type FoundationPlan, type InstanceType } from './plan.ts';
import { prices, voiceMinuteMb } from './prices.ts';

const hoursPerMonth = 730;
const nodeDiskGib = 50;
const allocatable = { cpuMilli: 1_900, memoryMib: 7_000 };

export function costOf(plan: TenantPlan, aws: AwsPlan): Cost {
  const floor = [
    ...(aws.foundation ? foundationLines(plan, aws.foundation) : guestLines(plan)),
    { what: 'secrets', monthlyUsd: secretsOf(plan) * prices.monthly.secret },
  ].map(({ what, monthlyUsd }) => ({ what, monthlyUsd: cents(monthlyUsd) }));
  return {
    prices: `prices of ${prices.region}, noted ${prices.notedAt} ${prices.source}; infra/targets/aws/prices.ts`,
    floor,
    monthlyFloorUsd: cents(floor.reduce((sum, { monthlyUsd }) => sum + monthlyUsd, 0)),
    usdPer1000VoiceMinutes: plan.tenant.capacity.voice === 0 ? undefined : cents(1_000 * voiceMinuteUsd(plan)),
  };
}

const cents = (usd: number) => Math.round(usd * 100) / 100;
const monthly = (hourly: number, count = 1) => hourly * hoursPerMonth * count;

function foundationLines(plan: TenantPlan, { nodeGroups, natGateways, database, cache }: FoundationPlan): CostLine[] {
  const { hourly, monthly: perMonth } = prices;
  const copies = database.multiAz ? 2 : 1;
  const storageGib = Math.max(20, plan.database.storageGib);
  const publicNodes = Math.max(plan.rooms.replicas, plan.phone?.replicas ?? 0);
  return [
    { what: 'cluster', monthlyUsd: monthly(hourly.cluster) + perMonth.key },
    ...nodesWhileIdle(nodeGroups).map(({ labels, instanceType, idle }) => ({
      what: `${idle} nodes for ${labels['parley.dev/nodes']} (${instanceType})`,
      monthlyUsd: idle * (monthly(hourly.nodes[instanceType]) + nodeDiskGib * perMonth.nodeDiskGib),
    })),
    {
      what: `database (${database.instanceClass}${database.multiAz ? ', with a standby' : ''}, ${storageGib} GiB)`,
      monthlyUsd: copies * (monthly(hourly.database[database.instanceClass]) + storageGib * perMonth.databaseGib),
    },
    {
      what: `cache (${cache.nodes} × ${cache.nodeType})`,
      monthlyUsd: monthly(hourly.cache[cache.nodeType], cache.nodes),
    },
    { what: 'load balancers, without their traffic', monthlyUsd: monthly(hourly.balancer, plan.phone ? 3 : 2) },
    { what: `${natGateways} NAT gateways`, monthlyUsd: monthly(hourly.natGateway, natGateways) },
    {
      what: 'public addresses',
      monthlyUsd: monthly(hourly.publicAddress, natGateways + publicNodes + (plan.phone ? 9 : 6)),
    },
  ];
}

/** Without the group for rooms that nobody is on. */
const nodesWhileIdle = (groups: FoundationPlan['nodeGroups']) =>
  Object.values(groups).filter(({ isPublic, idle }) => idle > 0 || !isPublic);

/** A guest pays for its share of the shared nodes. */
function guestLines({ api, worker, rooms, agents }: TenantPlan): CostLine[] {
  const shareOf = ({ resources, replicas }: { resources: { cpuMilli: number; memoryMib: number }; replicas: number }) =>
    replicas * Math.max(resources.cpuMilli / allocatable.cpuMilli, resources.memoryMib / allocatable.memoryMib);
  const node = (type: InstanceType, share: number) => monthly(prices.hourly.nodes[type]) * share;
  const running = { resources: agents.resources, replicas: agents.minReplicas };
  return [
    { what: 'share of general nodes', monthlyUsd: node('m7i.large', shareOf(api) + shareOf(worker)) },
    { what: 'share of nodes for rooms', monthlyUsd: node('c7i.large', shareOf(rooms)) },
    { what: 'share of nodes for agents', monthlyUsd: node('c7i.xlarge', shareOf(running) / 2) },
  ];
}

/** As `AwsSecrets` keeps them: one for each process. */
const secretsOf = ({ variables }: TenantPlan) => Object.keys(variables).length;

function voiceMinuteUsd({ agents, tenant }: TenantPlan): number {
  const { nodes } = prices.hourly;
  const perAgentNode = agentPodsPerNode(agents.resources) * agents.voicePerPod * targetShare;
  const perMinute = (hourly: number, conversations: number) => hourly / 60 / conversations;
  const { outGb, natGb } = prices.traffic;
  return (
    perMinute(nodes['c7i.xlarge'], perAgentNode) +
    perMinute(nodes['c7i.large'], voiceSessionsPerRoomServer) +
    (voiceMinuteMb.toPerson / 1_000) * outGb +
    (voiceMinuteMb.withProviders / 1_000) * natGb +
    tenant.cost.providersUsdPerMinute
  );
}
