/** @throws Error with one sentence that says what a master key looks like. */
export function parseMasterKeys(text: string): [name: string, key: Buffer][] {
  return text.split(',').map((entry) => {
    const [name = '', encoded = ''] = entry.trim().split(':');
    const key = Buffer.from(encoded, 'base64');
    if (!/^[a-z0-9-]{1,32}$/.test(name) || key.length !== 32) {
      throw new Error('master keys look like "k1:<base64 of 32 bytes>", separated by commas');
    }
    return [name, key];
  });
}
