/** Seals the credentials of tests, and of nobody else. */
export const masterKeys = `k1:${Buffer.alloc(32, 7).toString('base64')}`;

/** Signs what the persons of tests are given. */
export const peopleKeys = `k1:${Buffer.alloc(32, 9).toString('base64')}`;
