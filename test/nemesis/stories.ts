import type { FaultClass, Role } from './faults.ts';
import { roles } from './faults.ts';
import { type Schedule, schedule } from './schedule.ts';

const standing = schedule(
  691,
  ['stopped for 3 s', 'promotion', 'FIN swallowed', 'stopped for 15 s', 'wrong clock'],
  true,
);
const cutOff = schedule(
  810,
  [
    'stopped for 40 s',
    ...(['database cut', 'database delayed', 'database half open', 'database out of reach'] as const),
    ...(['room server without network', 'host cut off from the rooms', 'host without network'] as const),
  ],
  true,
);

/** With host 1 standing still, what is drawn for it would be seen by nobody. */
const onWhom: Partial<Record<FaultClass, readonly Role[]>> = {
  'database cut': roles,
  'database half open': roles,
  'database out of reach': ['host 2'],
  'host without network': ['host 2'],
};

/** Each class once; those of a story happen in one seed, beside each other where they break different things. */
export const stories: readonly Schedule[] = [
  standing,
  { ...cutOff, faults: cutOff.faults.map((fault) => ({ ...fault, targets: onWhom[fault.class] ?? fault.targets })) },
];
