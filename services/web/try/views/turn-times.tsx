import type { TurnTiming } from '../../../contract/session.ts';

/** The parts of the wait for an answer, in their order. */
export function waitOf({ endpointing = 0, recognition = 0, firstToken = 0, firstSound }: TurnTiming) {
  const parts = [
    { name: 'end of speech', ms: endpointing },
    { name: 'recognition', ms: recognition },
    { name: 'model', ms: firstToken },
    { name: 'voice', ms: firstSound === undefined ? 0 : Math.max(0, firstSound - firstToken) },
  ];
  return parts.filter(({ ms }) => ms > 0);
}

/** What the person waited for before a reply: as long as each part took. */
export function TurnTimes({ timing }: { timing: TurnTiming }) {
  const parts = waitOf(timing);
  const total = parts.reduce((sum, { ms }) => sum + ms, 0);
  if (total === 0) return null;
  const words = parts.map(({ name, ms }) => `${name} ${ms} ms`).join(', ');
  return (
    <small class="turn-times">
      <span class="turn-bar" aria-hidden="true">
        {parts.map(({ name, ms }) => (
          <i key={name} data-part={name} style={{ flexGrow: ms }} />
        ))}
      </span>
      Answered after {total} ms: {words}
      {timing.tools ? `; tools ${timing.tools} ms` : ''}
      {timing.interruptedAfter ? `; interrupted after ${timing.interruptedAfter} ms` : ''}
    </small>
  );
}
