import pLimit from 'p-limit';

/** Does the work for each item, for at most `most` at once. @throws the first failure; then no further work is begun */
export async function atOnce<Item>(
  most: number,
  items: readonly Item[],
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const limit = pLimit(most);
  try {
    await Promise.all(items.map((item) => limit(() => work(item))));
  } catch (error) {
    limit.clearQueue();
    throw error;
  }
}
