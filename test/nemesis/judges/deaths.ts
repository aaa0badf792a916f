import type { Evidence } from '../evidence.ts';
import { cutsOff, endOf, type HostRole, hostRoles, mayKill } from '../faults.ts';
import type { Judge } from './judge.ts';

/** Between two silences a host that is busy finding back may not have shown a sign of life. */
const findsBackMs = 8_000;
/** Longer than this, faults one after another may be a proof together, which none of them is. */
const proofMs = 8_000;

export const nobodyAliveIsDeclaredDeadTwice: Judge = {
  name: 'nobody alive is declared dead twice',
  judge: (evidence) =>
    hostRoles.flatMap((role) => {
      const deaths = evidence.deaths.filter((death) => death.role === role);
      const allowed = silencesOf(evidence, role);
      return deaths.length <= allowed
        ? []
        : [`${role} was declared dead ${deaths.length} times and lived; ${allowed} could not be told from a death`];
    }),
};

/** How often the host could not show for so long that it lives that nobody could know better. */
function silencesOf({ schedule }: Evidence, role: HostRole): number {
  const faults = schedule.faults.filter((fault) => cutsOff(fault, role)).sort((a, b) => a.atMs - b.atMs);
  const silences: { fromMs: number; toMs: number; isDeath: boolean }[] = [];
  for (const fault of faults) {
    const last = silences.at(-1);
    if (last && fault.atMs - last.toMs < findsBackMs) {
      last.toMs = Math.max(last.toMs, endOf(fault));
      last.isDeath ||= mayKill(fault) || last.toMs - last.fromMs > proofMs;
    } else silences.push({ fromMs: fault.atMs, toMs: endOf(fault), isDeath: mayKill(fault) });
  }
  return silences.filter(({ isDeath }) => isDeath).length;
}
