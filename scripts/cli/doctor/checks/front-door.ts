/** What anybody can see of an installation without a key: whether it is well, its certificate, its clock. */
import { once } from 'node:events';
import { connect } from 'node:tls';
import { within } from '../../../../services/process/within.ts';
import { settings } from '../../../../services/settings/settings.ts';
import { type Finding, failed, ok, reason, skipped, warning } from './finding.ts';

const deadlineMs = 10_000;

/** Health and clock, out of one answer. */
export async function checkHealth(url: string): Promise<Finding[]> {
  const asked = Date.now();
  let answer: Response;
  let body: { status?: string; timestamp?: string; message?: string };
  try {
    answer = await fetch(`${url}/health`, { signal: AbortSignal.timeout(deadlineMs) });
    body = (await answer.json()) as typeof body;
  } catch (error) {
    const todo = 'Look at DNS, the load balancer and the pods named api: nothing answers at this address.';
    return [failed('health', `${url}/health can't be reached (${reason(error)}).`, todo)];
  }
  const tookMs = Date.now() - asked;
  const health =
    answer.status === 200 && body.status === 'ok'
      ? ok('health', `It is well, and said so after ${tookMs} ms.`)
      : failed('health', `It answers ${answer.status}: ${body.message ?? body.status ?? ''}`, healthTodo(body.message));
  const seen = seenAddressFinding(new URL(url).hostname, answer.headers.get('x-seen-address'));
  return [health, clockFinding(body.timestamp, asked + tookMs / 2), ...(seen ? [seen] : [])];
}

/** A range that is a network's own: 10/8, 172.16/12, 192.168/16, 100.64/10, link-local and loopback. */
const isInside = (address: string) =>
  /^(10|127)\.|^192\.168\.|^172\.(1[6-9]|2\d|3[01])\.|^100\.(6[4-9]|[7-9]\d|1[01]\d|12[0-7])\.|^169\.254\.|^(fc|fd|fe80)|^::1/.test(
    address.replace(/^::ffff:/, ''),
  );

/** To an installation that the internet reaches, everybody who has an inside address is one and the same: a proxy's, or a node's. */
export function seenAddressFinding(host: string, seen: string | null): Finding | undefined {
  // A laptop, or a release that does not tell.
  if (seen === null || host === 'localhost' || isInside(host)) return undefined;
  if (!isInside(seen)) return ok('client address', `It sees this machine as ${seen}.`);
  return warning(
    'client address',
    `It sees this machine as ${seen}, an address of its own network: to its limits all customers are then one.`,
    `From inside that network this is right. Else: externalTrafficPolicy Local on k3s (docs/operate/first-tenant.md), ${settings.trustProxyHops.name} behind further proxies.`,
  );
}

const healthTodo = (message = '') =>
  /room server/.test(message)
    ? 'Look at the room server and at the network between it and the API.'
    : 'Look at the database: docs/runbooks/ParleyWaitsForDatabase.md.';

const tolerableClockMs = 2_000;

/** Signed requests are refused when clocks differ by minutes, and minutes are counted by clocks. */
function clockFinding(timestamp: string | undefined, hereMs: number): Finding {
  const differenceMs = Math.abs(Date.parse(timestamp ?? '') - hereMs);
  if (Number.isNaN(differenceMs)) {
    return failed('clock', 'It does not tell its time.', 'Is this address an installation of Parley?');
  }
  const says = `Its clock and the one of this machine differ by ${(differenceMs / 1_000).toFixed(1)} s.`;
  if (differenceMs <= tolerableClockMs) return ok('clock', says);
  return failed('clock', says, 'Set the clock of whichever is wrong by NTP (chrony on nodes of EKS does).');
}

const [soonDays, lateDays] = [21, 7];

/** How long the certificate is valid still. */
export async function checkCertificate(url: string, now = new Date(), authority?: string): Promise<Finding> {
  const { protocol, hostname, port } = new URL(url);
  if (protocol !== 'https:') return skipped('certificate', 'The address is not https, as on a laptop.');
  const where = { host: hostname, port: Number(port || 443), servername: hostname };
  try {
    const until = await certificateEnd(where, authority);
    const days = Math.floor((until.getTime() - now.getTime()) / 86_400_000);
    const says = `It ends on ${until.toISOString().slice(0, 10)}, in ${days} days.`;
    const todo = 'cert-manager or ACM renews in time by itself: see its events for why it has not.';
    if (days < lateDays) return failed('certificate', says, todo);
    return days < soonDays ? warning('certificate', says, todo) : ok('certificate', says);
  } catch (error) {
    const todo = 'Browsers refuse it too: is it for this name, complete with its chain, and not over?';
    return failed('certificate', `It is not trusted (${reason(error)}).`, todo);
  }
}

async function certificateEnd(
  where: { host: string; port: number; servername: string },
  authority: string | undefined,
): Promise<Date> {
  const socket = connect({ ...where, ...(authority ? { ca: authority } : {}) });
  try {
    await within(deadlineMs, 'its answer', once(socket, 'secureConnect'));
    return new Date(socket.getPeerCertificate().valid_to);
  } finally {
    socket.destroy();
  }
}
