import type { Request } from 'express';
import { ipKeyGenerator } from 'express-rate-limit';

/** IPv4 address, or the /64 of an IPv6 one: a home or a server has a whole one. */
export function clientAddress(req: Request): string {
  try {
    return ipKeyGenerator(req.ip ?? 'unknown', 64);
  } catch {
    // What a proxy wrote is not always an address; it still tells one client from another.
    return req.ip ?? 'unknown';
  }
}
