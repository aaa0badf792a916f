/** Seals the credentials of tests, and of nobody else. */
export const masterKeys = `k1:${Buffer.alloc(32, 7).toString('base64')}`;
