/** Contract.md, "Size limits". */
export const bodyLimitBytes = 256 * 1024;
