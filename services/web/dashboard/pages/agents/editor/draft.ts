import { ofBrowser, type Storing, storedJson } from '../../../../client/stored.ts';

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

const nameOf = ({ person, tenant, agent }: DraftPlace): string => `parley.draft ${person} ${tenant} ${agent}`;

/** Drafts outlive the page, in this browser only. Where storage is forbidden or full the page itself has the only one. */
export function makeDrafts(storage: () => Storing) {
  const at = (place: DraftPlace) => storedJson(storage, nameOf(place));
  return {
    read: (place: DraftPlace): Draft | undefined => draftIn(at(place).read()),
    write: (place: DraftPlace, draft: Draft): void => at(place).write(draft),
    drop: (place: DraftPlace): void => at(place).forget(),
  };
}

/** What an older page wrote may have another form. */
function draftIn(value: unknown): Draft | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { text, fileId } = value as Partial<Draft>;
  return typeof text === 'string' && typeof fileId === 'string' ? { text, fileId } : undefined;
}

export const drafts = makeDrafts(ofBrowser);
