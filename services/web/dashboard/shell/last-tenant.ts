const key = 'parley.tenant';

/** The tenant seen last in this browser. Storage may be forbidden; then nothing is remembered and nothing is lost. */
export const lastTenant = {
  read: (): string | undefined => {
    try {
      return localStorage.getItem(key) ?? undefined;
    } catch {
      return undefined;
    }
  },
  write: (slug: string): void => {
    try {
      localStorage.setItem(key, slug);
    } catch {
      return;
    }
  },
};
