/** A key of room servers, by which they and we know each other: whoever signs names the key, and shows that it has the secret. */
export interface RoomKey {
  apiKey: string;
  apiSecret: string;
}

const form = /^(?<apiKey>[^\s:,]+):(?<apiSecret>[^\s:,]+)$/;

/** Of `key:secret`, several with commas between. @throws Error with one sentence that says what they look like */
export function parseRoomKeys(text: string): RoomKey[] {
  return text.split(',').map((entry) => {
    const { apiKey, apiSecret } = form.exec(entry.trim())?.groups ?? {};
    if (!apiKey || !apiSecret) throw new Error('keys of room servers look like "key:secret", separated by commas');
    return { apiKey, apiSecret };
  });
}

/** As `parseRoomKeys` reads it. */
export const roomKeysText = (keys: readonly RoomKey[]): string =>
  keys.map(({ apiKey, apiSecret }) => `${apiKey}:${apiSecret}`).join(',');
