const local = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

/** Whether the page at `/try` is there: in development, for this machine only (services/api/try/page.ts), which the page's own name tells. */
export const hasTryPage = (host: string = location.hostname): boolean => local.test(host);
