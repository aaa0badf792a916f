import type { Page } from 'playwright-core';

/** What the page and the files that it has loaded so far weighed as they were sent: compressed, with heads, without what the API has answered. */
export const bytesSent = (page: Page): Promise<number> =>
  page.evaluate(() => {
    const loaded = ['navigation', 'resource'].flatMap((type) => performance.getEntriesByType(type));
    const files = loaded.filter(({ entryType, name }) => entryType === 'navigation' || name.includes('/assets/'));
    return (files as unknown as { transferSize: number }[]).reduce((sum, { transferSize }) => sum + transferSize, 0);
  });
