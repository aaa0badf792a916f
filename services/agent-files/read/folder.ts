/** A folder of agents, wherever it is: on disk, or in a commit. */
export interface AgentsFolder {
  /** Names directly in one of its folders, '' for itself; none where there is no such folder, undefined where it can't be read. */
  names(path: string): Promise<string[] | undefined>;
  /** The bytes of a file (of one that is larger than `maxBytes`, any number above), or why it can't be read. Never throws. */
  read(path: string, maxBytes: number): Promise<Buffer | FileProblem>;
}

export interface FileProblem {
  rule: string;
  message: string;
}

export const fileProblems = {
  linkToNothing: {
    rule: 'file-unreadable',
    message: 'The file cannot be read; it may be a link to something that is gone.',
  },
  linkLeadsOut: {
    rule: 'file-outside',
    message: 'The file is a link that leads out of the folder; put the file itself here.',
  },
  noFile: { rule: 'file-kind', message: 'This is no ordinary file; remove or rename it.' },
  unreadable: { rule: 'file-unreadable', message: 'The file cannot be read; check its permissions.' },
} as const satisfies Record<string, FileProblem>;
