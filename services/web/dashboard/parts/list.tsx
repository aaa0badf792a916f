import { useInfiniteQuery } from '@tanstack/preact-query';
import type { Page } from '../account/account-api.ts';
import { useWords } from '../words/use-words.ts';
import { Failed, Skeleton } from './states.tsx';

/** A list that comes in pages: what was read so far, and the way to more. */
export function useList<Item>(key: readonly unknown[], read: (cursor: string | undefined) => Promise<Page<Item>>) {
  const list = useInfiniteQuery({
    queryKey: key,
    queryFn: ({ pageParam }) => read(pageParam),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
  });
  return { ...list, items: list.data?.pages.flatMap((page) => page.items) ?? [] };
}

interface Listed {
  isPending: boolean;
  error: unknown;
  hasNextPage: boolean;
  isFetchingNextPage: boolean;
  refetch(): unknown;
  fetchNextPage(): unknown;
}

/** Above a list: that it is not there yet, or why it did not come. */
export function ListState({ list }: { list: Listed }) {
  if (list.isPending) return <Skeleton lines={8} />;
  if (list.error) return <Failed error={list.error} onAgain={() => void list.refetch()} />;
  return null;
}

/** Below a list: the next page of it. */
export function More({ list }: { list: Listed }) {
  const { sessions } = useWords();
  if (!list.hasNextPage) return null;
  return (
    <button type="button" class="more" disabled={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
      {sessions.older}
    </button>
  );
}
