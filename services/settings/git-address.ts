/** Addresses, branches and paths that git may be given: nothing that it would read as an option, and no password. */

export type Protocol = 'https' | 'http' | 'ssh' | 'file';

/** `user@host:path`, as people write ssh addresses. */
const scpAddress = /^[A-Za-z0-9_.-]+@[A-Za-z0-9.-]+:[^:]/;

/** The protocol of an address that a repository may have; undefined for any other, and for one with a password in it. */
export function protocolOf(url: string): Protocol | undefined {
  if (/[\s\0]/.test(url)) return undefined;
  if (url.startsWith('/')) return 'file';
  if (scpAddress.test(url)) return 'ssh';
  if (!URL.canParse(url)) return undefined;
  const parsed = new URL(url);
  if (parsed.password !== '' || parsed.hostname.startsWith('-')) return undefined;
  switch (parsed.protocol) {
    case 'https:':
    case 'http:':
      return parsed.username === '' ? (parsed.protocol.slice(0, -1) as Protocol) : undefined;
    case 'ssh:':
      return 'ssh';
    case 'file:':
      return 'file';
    default:
      return undefined;
  }
}

/** A branch's name as git allows it, and without anything that git would read as an option or a pattern. */
export const isBranchName = (name: string): boolean =>
  /^[A-Za-z0-9_][A-Za-z0-9_./-]{0,199}$/.test(name) && !/\.\.|\/\/|\.lock(\/|$)|[./]$|\/\./.test(name);

/** A folder within the repository, without a leading or closing slash; `.` is the repository itself. */
export const isRepositoryPath = (path: string): boolean =>
  path === '.' ||
  (/^[A-Za-z0-9_.][A-Za-z0-9_./ -]{0,399}$/.test(path) &&
    path.split('/').every((part) => part !== '' && part !== '.' && part !== '..'));

/** A file name that needs no quoting: git hands its ssh command to a shell. */
export const isPlainPath = (path: string): boolean => /^\/[A-Za-z0-9_./-]+$/.test(path);
