export type Storing = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;

/** What a browser keeps under one name. */
export interface Stored<Value> {
  /** Undefined: nothing is kept, or nothing that can be read. */
  read(): Value | undefined;
  write(value: Value): void;
  forget(): void;
}

// biome-ignore lint/plugin: this is where pages get it from
export const ofBrowser = (): Storing => localStorage;
// biome-ignore lint/plugin: this is where pages get it from
export const ofTab = (): Storing => sessionStorage;

/** A text. Storage may be forbidden or full: then nothing is kept, and the page does without. */
export const storedText = (storage: () => Storing, name: string): Stored<string> => ({
  read: () => attempted(() => storage().getItem(name) ?? undefined),
  write: (text) => attempted(() => storage().setItem(name, text)),
  forget: () => attempted(() => storage().removeItem(name)),
});

/** A value that JSON carries. What an older page wrote may have another form: whoever reads looks. */
export function storedJson(storage: () => Storing, name: string): Stored<unknown> {
  const { read, write, forget } = storedText(storage, name);
  return {
    read: () => attempted(() => JSON.parse(read() ?? 'null') ?? undefined),
    write: (value) => write(JSON.stringify(value)),
    forget,
  };
}

function attempted<Result>(work: () => Result): Result | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}
