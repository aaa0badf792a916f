/** docs/call/rest.md, "Conventions". */
export const bodyLimitBytes = 256 * 1024;
