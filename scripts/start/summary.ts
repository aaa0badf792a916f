import { join } from 'node:path';
import type { Launched } from './launcher.ts';

/** Where to look, for the person at the terminal. */
export function summary(
  { baseUrl, signInLink, agents, numbers }: Launched,
  dataFolder: string,
  seconds: number,
): string {
  const keys = Object.entries(agents).map(
    ([agent, { apiKey, disabled }]) => [agent, disabled ? `${apiKey}  (disabled)` : apiKey] as const,
  );
  const width = Math.max(0, ...keys.map(([agent]) => agent.length));
  const firstKey = Object.values(agents).find(({ disabled }) => !disabled)?.apiKey;
  return [
    '',
    `Parley is ready (${seconds.toFixed(1)} s).`,
    '',
    `  Dashboard     ${signInLink}`,
    '                (signs you in once, within 10 minutes; "npx parley people link" prints another)',
    `  Try it        ${baseUrl}/try`,
    `  The widget    ${baseUrl.replace('127.0.0.1', 'localhost')}/try/sample`,
    ...keys.map(
      ([agent, key], index) => `  ${(index === 0 ? 'Agents' : '').padEnd(13)} ${agent.padEnd(width)}  ${key}`,
    ),
    ...(firstKey
      ? [
          `  A session     curl -s -X POST ${baseUrl}/api/sessions -H "Authorization: Bearer ${firstKey}" \\`,
          `                  -H "Content-Type: application/json" -d '{"interactionMode": "TEXT"}'`,
        ]
      : []),
    ...byTelephone(numbers),
    `  Credentials   ${join(dataFolder, 'connection.json')}`,
    `  Logs          ${join(dataFolder, 'logs')}`,
    '  Stop          Ctrl-C',
    '',
  ].join('\n');
}

/** How a softphone on this machine calls: as it is, without an account. */
function byTelephone(numbers: Record<string, string>): string[] {
  const addresses = Object.entries(numbers);
  const [, first] = addresses[0] ?? [];
  if (first === undefined) return [];
  const width = Math.max(...addresses.map(([agent]) => agent.length));
  return [
    ...addresses.map(
      ([agent, address], index) =>
        `  ${(index === 0 ? 'Telephone' : '').padEnd(13)} ${agent.padEnd(width)}  ${address}`,
    ),
    `                baresip: baresip -e "/dial ${first}"   (quit with q)`,
    '                Linphone: no account is needed; type the address where a number goes, and call',
  ];
}
