/** Looks at something at most once in `freshMs`, however many ask; who asks while a look is under way shares it. A look that fails is not kept. */
export function sharedLook<Seen>(look: () => Promise<Seen>, freshMs: number): () => Promise<Seen> {
  let latest: { until: number; seen: Promise<Seen> } | undefined;
  return () => {
    if (latest && performance.now() <= latest.until) return latest.seen;
    const entry = { until: Number.POSITIVE_INFINITY, seen: look() };
    latest = entry;
    entry.seen.then(
      () => {
        entry.until = performance.now() + freshMs;
      },
      () => {
        if (latest === entry) latest = undefined;
      },
    );
    return entry.seen;
  };
}
