import { settings } from '../../services/settings/settings.ts';

/** What one process carries. Measured on 2 shared cores (docs/performance.md), so upper bounds of cost and lower bounds of capacity. */

/** On one core, without a missed turn and at most 0.1 s later than one session alone. */
export const voiceSessionsPerHost = settings.voiceCapacity.readBy.agent;
/** A process held 400, 200 of them talking; half of it leaves room for a neighbour's death. */
export const textSessionsPerHost = 200;

/** 200 participants on one UDP port without a failed turn: a spoken conversation has two. */
export const voiceSessionsPerRoomServer = 100;
export const textSessionsPerRoomServer = 400;

/** Not measured yet: a figure to be careful with, until `npm run bench` has a ramp of calls. */
export const callsPerBridge = 50;

/** `voice` and `text` per conversation; `hearing` once somebody speaks: the model that judges turns' ends. */
export const hostMemoryMib = { idle: 200, hearing: 250, voice: 24, text: 2 };
export const hostCpuMilli = { idle: 150, voice: 50, text: 1 };

/** Autoscaling aims at this share, so that a burst finds room while hosts start. */
export const targetShare = 0.7;

/** A rollout has so many times the pods, for a while. */
export const rolloutShare = 1.25;

/** Connections that a process holds at most: its pools (the API has one for persons), and one of its own for LISTEN and locks. */
export const connections = { api: 17, agent: 13, worker: 60, spare: 20 };

/** What the steps of stopping add up to (main.ts of each service), and a margin; of an agent host, those beside handing over. */
export const stopSeconds = { api: 20, worker: 15, agent: 30 };
