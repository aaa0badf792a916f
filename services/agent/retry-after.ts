/** How long a server asks us to wait. `Retry-After` is seconds or a date (RFC 9110, 10.2.3). */
export function retryAfterMs(headers: Pick<Headers, 'get'>, nowMs: number = Date.now()): number | undefined {
  const value = headers.get('retry-after');
  if (!value) return undefined;
  const seconds = Number(value);
  const ms = Number.isNaN(seconds) ? Date.parse(value) - nowMs : seconds * 1000;
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}
