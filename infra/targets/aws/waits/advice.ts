/** What somebody can do about what AWS says; most of it only AWS's words tell apart. */
const advices: readonly [RegExp, string][] = [
  [/LimitExceeded|vCPU limit|quota/i, 'Raise it in Service Quotas: AWS tries again by itself.'],
  [/InsufficientInstanceCapacity|sufficient .*capacity/i, 'AWS has none of that type there now, and tries again.'],
  [/NodeCreationFailure|failed to join/i, "They run and don't reach the cluster: look at their subnets' way out."],
];

/** Begins with a space; empty where we know nothing better than AWS. */
export function adviceOn(said: string): string {
  const found = advices.find(([what]) => what.test(said));
  return found ? ` ${found[1]}` : '';
}
