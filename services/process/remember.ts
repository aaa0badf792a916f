/** Puts an entry last in a map that is kept small: beyond `most` entries the first one goes, which was put there longest ago. */
export function remember<Key, Value>(entries: Map<Key, Value>, key: Key, value: Value, most: number): void {
  entries.delete(key);
  entries.set(key, value);
  const [oldest] = entries.keys();
  if (entries.size > most && oldest !== undefined) entries.delete(oldest);
}
