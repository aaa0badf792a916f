import { createHash, randomBytes, randomUUID } from 'node:crypto';

/** 128 random bits each, never sequential; a session's id says nothing about its room's name. */
export const newSessionId = () => `s_${randomBytes(16).toString('base64url')}`;
export const newRoomName = () => `r_${randomBytes(16).toString('base64url')}`;
export const newUuid = () => randomUUID();

export const sha256 = (...parts: (string | Buffer)[]): Buffer => {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part).update('\0');
  return hash.digest();
};

/** How an id appears outside our own logs: enough to find it, too little to use it. */
export const hashPrefix = (id: string) => sha256(id).toString('hex').slice(0, 12);
