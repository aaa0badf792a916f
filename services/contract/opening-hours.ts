import type { OpeningHours } from './telephony.ts';

/** Why these hours can't be; undefined when they can. */
export function faultOfHours({ zone, open }: OpeningHours): string | undefined {
  if (!isZone(zone)) return `"${zone}" is no time zone. Give its IANA name, such as Europe/Berlin.`;
  const backwards = open.find(({ from, to }) => from >= to);
  return (
    backwards && `From ${backwards.from} to ${backwards.to} is no span: one that goes past midnight is written as two.`
  );
}

export function isZone(zone: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: zone });
    return true;
  } catch {
    // RangeError is how Intl says no.
    return false;
  }
}
