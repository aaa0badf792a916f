import { longestPrefix } from '../phone-number.ts';

/** Countries that have one time zone, by their calling code (ITU-T E.164.D, IANA tzdata's zone1970.tab). */
const zones: Record<string, string> = {
  '+27': 'Africa/Johannesburg',
  '+30': 'Europe/Athens',
  '+31': 'Europe/Amsterdam',
  '+32': 'Europe/Brussels',
  '+33': 'Europe/Paris',
  '+353': 'Europe/Dublin',
  '+352': 'Europe/Luxembourg',
  '+354': 'Atlantic/Reykjavik',
  '+358': 'Europe/Helsinki',
  '+359': 'Europe/Sofia',
  '+36': 'Europe/Budapest',
  '+370': 'Europe/Vilnius',
  '+371': 'Europe/Riga',
  '+372': 'Europe/Tallinn',
  '+385': 'Europe/Zagreb',
  '+386': 'Europe/Ljubljana',
  '+39': 'Europe/Rome',
  '+40': 'Europe/Bucharest',
  '+41': 'Europe/Zurich',
  '+420': 'Europe/Prague',
  '+421': 'Europe/Bratislava',
  '+423': 'Europe/Vaduz',
  '+43': 'Europe/Vienna',
  '+44': 'Europe/London',
  '+45': 'Europe/Copenhagen',
  '+46': 'Europe/Stockholm',
  '+47': 'Europe/Oslo',
  '+48': 'Europe/Warsaw',
  '+49': 'Europe/Berlin',
  '+65': 'Asia/Singapore',
  '+81': 'Asia/Tokyo',
  '+82': 'Asia/Seoul',
  '+90': 'Europe/Istanbul',
  '+91': 'Asia/Kolkata',
};
const codes = Object.keys(zones);

/** Where the clock on the wall of whoever has this number is; undefined where their country has several, or is not in the list. */
export function zoneOf(number: string): string | undefined {
  const code = longestPrefix(codes, number);
  return code && zones[code];
}
