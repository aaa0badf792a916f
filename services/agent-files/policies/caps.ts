import type { CapBounds } from '../../contract/generated/policies.ts';
import type { Policy, PolicyFinding } from './policy.ts';

const names = [
  ...(['concurrentSessions', 'minutesPerMonth', 'minutesPerDay', 'tokensPerDay'] as const),
  ...(['toolCallsPerDay', 'fleetShare'] as const),
];

/** Every agent sets its caps at or below the operator's bounds; the defaults are meant to be above them. */
export const caps: Policy<CapBounds> = ({ settings }, bounds) =>
  names.flatMap((name): PolicyFinding[] => {
    const bound = bounds[name];
    const value = settings.caps[name];
    if (bound === undefined || (value !== undefined && value <= bound)) return [];
    const is = value === undefined ? 'it is not set' : `it is ${value}`;
    return [{ path: ['limits', name], message: `"limits.${name}" must be set to at most ${bound}; ${is}.` }];
  });
