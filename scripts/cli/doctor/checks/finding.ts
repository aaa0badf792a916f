/** What one check found out. */
export interface Finding {
  check: string;
  state: 'ok' | 'warning' | 'failed' | 'skipped';
  /** One sentence with the figure or the reason. */
  says: string;
  /** What to do about it. */
  todo?: string;
}

export const ok = (check: string, says: string): Finding => ({ check, state: 'ok', says });
export const warning = (check: string, says: string, todo: string): Finding => ({
  check,
  state: 'warning',
  says,
  todo,
});
export const failed = (check: string, says: string, todo: string): Finding => ({ check, state: 'failed', says, todo });
export const skipped = (check: string, says: string): Finding => ({ check, state: 'skipped', says });

export const reason = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  return cause instanceof Error && cause.message !== '' ? `${error.message}: ${cause.message}` : error.message;
};
