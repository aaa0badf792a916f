/** A prompt on its way: its text, and the file that the person had before them when they began. */
export interface Draft {
  text: string;
  /** Git's id of the file. */
  fileId: string;
}

/** Whose draft of what: two people may share a browser. */
export interface DraftPlace {
  person: string;
  tenant: string;
  agent: string;
}

type Kept = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;

const keyOf = ({ person, tenant, agent }: DraftPlace): string => `parley.draft ${person} ${tenant} ${agent}`;

/** Drafts outlive the page, in this browser only. Storage may be forbidden or full: then the page itself has the only one. */
export const makeDrafts = (storage: () => Kept) => ({
  read(place: DraftPlace): Draft | undefined {
    try {
      return draftIn(JSON.parse(storage().getItem(keyOf(place)) ?? 'null'));
    } catch {
      return undefined;
    }
  },
  write(place: DraftPlace, draft: Draft): void {
    try {
      storage().setItem(keyOf(place), JSON.stringify(draft));
    } catch {
      return;
    }
  },
  drop(place: DraftPlace): void {
    try {
      storage().removeItem(keyOf(place));
    } catch {
      return;
    }
  },
});

/** What an older page wrote may have another form. */
function draftIn(value: unknown): Draft | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { text, fileId } = value as Partial<Draft>;
  return typeof text === 'string' && typeof fileId === 'string' ? { text, fileId } : undefined;
}

export const drafts = makeDrafts(() => localStorage);
