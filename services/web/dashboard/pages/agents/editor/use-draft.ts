import { useState } from 'preact/hooks';
import { useHere } from '../../../account/use-account.ts';
import { type Draft, drafts } from './draft.ts';

/**
 * The draft of an agent's prompt: the one that this browser has kept, else `begin`, else what stands in the file.
 * @param begin goes before a kept draft: it was asked for just now
 */
export function useDraft(agent: string, file: { id: string; prompt: string }, begin: string | undefined) {
  const { me, tenancy } = useHere();
  const place = { person: me.person.id, tenant: tenancy.id, agent };
  const fresh = (): Draft => ({ text: file.prompt, fileId: file.id });
  const [kept, setKept] = useState(() => (begin === undefined ? drafts.read(place) : undefined));
  const [unwritten] = useState(() => (begin === undefined ? undefined : { text: begin, fileId: file.id }));
  const [dropped, setDropped] = useState(false);
  return {
    draft: kept ?? (dropped ? undefined : unwritten) ?? fresh(),
    /** Whether it would be there after the page was closed. */
    isKept: kept !== undefined,
    write: (draft: Draft) => {
      drafts.write(place, draft);
      setKept(draft);
    },
    drop: () => {
      drafts.drop(place);
      setKept(undefined);
      setDropped(true);
    },
  };
}
