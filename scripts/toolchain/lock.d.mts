export function withLock<T>(file: string, work: () => Promise<T>, onWait?: (pid: number) => void): Promise<T>;
