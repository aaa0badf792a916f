/** While AWS makes what a stack is to stand on, says why something does not come. */
import { type Clock, keepLooking, type Looking, systemClock, tellLasting } from '../../../rollout/lasting.ts';
import type { FoundationPlan } from '../plan.ts';
import type { Ask } from './ask.ts';
import { addOns, controlPlane, nodeGroups } from './eks.ts';
import { cacheServer } from './elasticache.ts';
import { instances } from './instances.ts';
import { databaseServer } from './rds.ts';
import type { Wait } from './wait.ts';

/** Each look is some 15 questions, and takes seconds; a cause is told within a minute all the same. */
const lookEveryMs = 12_000;

/** What a stack that creates its own foundation waits for, by the names that its plan gives. */
export const ofFoundation = ({ cluster, database, cache }: FoundationPlan['names']): readonly Wait[] => [
  controlPlane(cluster),
  instances(cluster),
  nodeGroups(cluster),
  addOns(cluster),
  databaseServer(database),
  cacheServer(cache),
];

export interface WaitsArgs {
  ask: Ask;
  waits: readonly Wait[];
  tell(sentence: string): void;
  clock?: Clock;
}

/** Looks from now on, without keeping the process. That something could not be asked is told as a cause is. */
export function watchWaits({ ask, waits, tell, clock = systemClock }: WaitsArgs): Looking {
  const tellCauses = tellLasting(tell, clock);
  const look = async () => {
    const found = await Promise.all(waits.map((wait) => wait(ask).catch(notAsked)));
    tellCauses([...new Set(found.flat())]);
  };
  return keepLooking(look, lookEveryMs, clock);
}

const notAsked = (error: Error) => [`What AWS waits for is not told: ${error.message}`];
