import type { Wait } from './wait.ts';

interface Events {
  Events: readonly { Message?: string }[];
}

/** It has no status for what goes wrong before it gives up, but says it (docs.aws.amazon.com/AmazonElastiCache: event messages). */
export const cacheServer =
  (cache: string): Wait =>
  async (ask) => {
    const about = ['--source-type', 'replication-group', '--source-identifier', cache, '--duration', '60'];
    const answer = await ask<Events>('elasticache', 'describe-events', ...about);
    return (answer?.Events ?? [])
      .flatMap(({ Message = '' }) => (/fail|unable|insufficient/i.test(Message) ? [`the cache: ${Message}`] : []))
      .slice(-1);
  };
