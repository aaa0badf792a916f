import { handoverSeconds } from '../../services/contract/handover.ts';
import type { Tenant } from '../tenant.ts';
import {
  hostCpuMilli,
  hostMemoryMib,
  stopSeconds,
  targetShare,
  textSessionsPerHost,
  voiceSessionsPerHost,
} from './measured.ts';
import type { Resources } from './resources.ts';

/** What only the place knows. */
export interface AgentFacts {
  /** Labels of the nodes that hosts run on; any where there are none. */
  nodes: Readonly<Record<string, string>>;
}

export interface AgentFleetPlan extends AgentFacts {
  minReplicas: number;
  maxReplicas: number;
  /** While nobody can tell how many conversations there are, or when nothing scales. */
  fixedReplicas: number;
  sessionsPerPod: number;
  /** How many of them may be spoken. */
  voicePerPod: number;
  /** Conversations a pod should have when the fleet has the right size. */
  targetSessionsPerPod: number;
  /** The same of spoken ones; 0 where nobody speaks. */
  targetVoicePerPod: number;
  warmRooms: number;
  resources: Resources;
  /** Conversations are given to another host, so this need not be as long as one. */
  handsOver: true;
  graceSeconds: number;
  /** A host of so much memory leaves in good time and is started anew, before its limit ends it in the middle of conversations. */
  retireAtMib: number;
}

type Capacity = Tenant['capacity'];

export const totalSessions = ({ voice, text }: Capacity): number => voice + text;

/** From here on the loss of a machine must not be the loss of the service. */
const redundantFrom = 50;

/** Of the limit: what a host needs while it gives its conversations away, and a chance to find others with room, stay below. */
const retireShare = 0.75;

/** Whether capacity asks for two of everything. */
export const isRedundant = (capacity: Capacity): boolean => totalSessions(capacity) >= redundantFrom;

/** Hosts for the declared capacity, each with its share of voice and text. */
export function planAgents(capacity: Capacity, { nodes }: AgentFacts): AgentFleetPlan {
  const total = totalSessions(capacity);
  const needed = Math.ceil(capacity.voice / voiceSessionsPerHost + capacity.text / textSessionsPerHost);
  const atLeast = isRedundant(capacity) ? 2 : 1;
  const always = Math.max(needed, atLeast);
  const sessionsPerPod = Math.ceil(total / needed);
  const targetSessionsPerPod = targetOf(sessionsPerPod);
  const voicePerPod = Math.ceil(capacity.voice / needed);
  const targetVoicePerPod = targetOf(voicePerPod);
  const resources = resourcesFor({ voice: capacity.voice / needed, text: capacity.text / needed });
  return {
    nodes,
    minReplicas: capacity.coldStart === 'never' ? always : 0,
    maxReplicas: Math.max(always, podsFor(total, targetSessionsPerPod), podsFor(capacity.voice, targetVoicePerPod)),
    fixedReplicas: always,
    sessionsPerPod,
    voicePerPod,
    targetSessionsPerPod,
    targetVoicePerPod,
    warmRooms: Math.min(sessionsPerPod, Math.max(1, Math.min(20, Math.ceil(sessionsPerPod / 20)))),
    resources,
    handsOver: true,
    graceSeconds: handoverSeconds(sessionsPerPod) + stopSeconds.agent,
    retireAtMib: Math.floor(retireShare * resources.memoryLimitMib),
  };
}

const targetOf = (sessions: number): number => (sessions === 0 ? 0 : Math.max(1, Math.floor(sessions * targetShare)));

const podsFor = (sessions: number, perPod: number): number => (sessions === 0 ? 0 : Math.ceil(sessions / perPod));

function resourcesFor({ voice, text }: { voice: number; text: number }): Resources {
  const cpuMilli = Math.ceil(hostCpuMilli.idle + hostCpuMilli.voice * voice + hostCpuMilli.text * text);
  const hearing = voice > 0 ? hostMemoryMib.hearing : 0;
  const memoryMib = Math.ceil(hostMemoryMib.idle + hearing + hostMemoryMib.voice * voice + hostMemoryMib.text * text);
  return { cpuMilli, cpuLimitMilli: Math.max(1_000, 2 * cpuMilli), memoryMib, memoryLimitMib: 2 * memoryMib };
}
