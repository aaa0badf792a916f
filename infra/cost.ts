/** What a tenant costs before it is spent, where its target knows prices. */
import { Refusal } from './refusal.ts';
import type { Tenant } from './tenant.ts';

export interface CostLine {
  what: string;
  monthlyUsd: number;
}

export interface Cost {
  /** Where the prices are from, in words. */
  prices: string;
  /** What runs while nobody talks. */
  floor: CostLine[];
  monthlyFloorUsd: number;
  /** Nodes, traffic and the declared price of providers, at the load that autoscaling aims at; undefined without voice. */
  usdPer1000VoiceMinutes: number | undefined;
}

/** For people who look at a preview. */
export function costInWords({ prices, floor, monthlyFloorUsd, usdPer1000VoiceMinutes }: Cost): string {
  const lines = floor.map(({ what, monthlyUsd }) => `  ${monthlyUsd.toFixed(2).padStart(9)}  ${what}`);
  const minutes =
    usdPer1000VoiceMinutes === undefined
      ? []
      : [`1 000 spoken minutes cost about ${usdPer1000VoiceMinutes.toFixed(2)} USD more.`];
  return [`About ${monthlyFloorUsd.toFixed(2)} USD a month while nobody talks (${prices}):`, ...lines, ...minutes].join(
    '\n',
  );
}

/** Refuses what costs more than its owner allows. @throws Refusal */
export function keepWithinBudget(cost: Cost, { monthlyFloorUsd }: Tenant['cost']): void {
  if (monthlyFloorUsd === undefined || cost.monthlyFloorUsd <= monthlyFloorUsd) return;
  throw new Refusal(
    `Policy monthly-cost forbids this stack: it costs about ${cost.monthlyFloorUsd} USD a month, and parley:cost.monthlyFloorUsd allows ${monthlyFloorUsd}. Declare less capacity, or allow more.`,
  );
}
