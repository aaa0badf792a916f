interface Kept {
  inputs: readonly string[];
  found: unknown;
}

/**
 * What was found out about files, kept from one check of a folder to the next, so that an unchanged file costs nothing: of a
 * thousand agents mostly one has changed. What the last check did not ask for is forgotten.
 */
export class FileMemory {
  #last = new Map<string, Kept>();
  #now = new Map<string, Kept>();

  /** A check of all files begins. */
  begin(): void {
    this.#last = this.#now;
    this.#now = new Map();
  }

  /** What `find` gave for the same file and inputs; `inputs` must hold everything that it reads. */
  recall<Found>(file: string, inputs: readonly string[], find: () => Found): Found {
    const kept = this.#last.get(file);
    const found = kept && isSame(kept.inputs, inputs) ? (kept.found as Found) : find();
    this.#now.set(file, { inputs, found });
    return found;
  }
}

const isSame = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((text, index) => text === b[index]);
