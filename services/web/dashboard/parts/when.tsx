import { useFormats } from '../words/use-words.ts';

/** A moment: short in the list, exact for whoever points at it. */
export function When({ at }: { at: string }) {
  const { dateTime, exact } = useFormats();
  return (
    <time dateTime={at} title={exact(at)}>
      {dateTime(at)}
    </time>
  );
}
