export function withLock<T>(file: string, work: () => Promise<T>, onWait?: (pid: number) => void): Promise<T>;
export function tryLock(file: string): Promise<{ release(): Promise<void> } | { holder: number }>;
