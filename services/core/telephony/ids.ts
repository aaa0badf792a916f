import { randomBytes } from 'node:crypto';

/** 128 random bits, never sequential. */
export const newCallId = () => `c_${randomBytes(16).toString('base64url')}`;
