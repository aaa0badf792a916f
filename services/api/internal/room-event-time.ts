/** An event that took longer than this to reach us tells its own time better than our clock does. */
const lateMs = 2_000;

/** When the participant joined: the room server's milliseconds, but never later than now. */
export function joinedAt(now: Date, joinedAtMs: number): Date {
  return joinedAtMs > 0 && joinedAtMs < now.getTime() ? new Date(joinedAtMs) : now;
}

/** When the participant left: now, unless the event is old; its own time has whole seconds only. */
export function leftAt(now: Date, createdMs: number): Date {
  return createdMs > 0 && now.getTime() - createdMs > lateMs ? new Date(createdMs) : now;
}
