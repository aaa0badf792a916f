import { useLocation } from 'preact-iso';
import type { Tenancy } from '../account/account-api.ts';
import type { Words } from '../words/english.ts';
import { useWords } from '../words/use-words.ts';
import { type IconName, icons } from './icons.tsx';

interface Entry {
  path: string;
  name: keyof Words['nav'];
  icon: IconName;
}

/** Only what there is: a page comes here together with the routes that it reads. */
const groups: { name?: keyof Words['nav']; entries: Entry[] }[] = [
  {
    entries: [
      { path: '', name: 'overview', icon: 'overview' },
      { path: '/live', name: 'live', icon: 'live' },
      { path: '/sessions', name: 'sessions', icon: 'sessions' },
      { path: '/agents', name: 'agents', icon: 'agents' },
      { path: '/scenarios', name: 'scenarios', icon: 'scenarios' },
      { path: '/numbers', name: 'numbers', icon: 'numbers' },
      { path: '/calls', name: 'calls', icon: 'calls' },
      { path: '/webhook', name: 'webhook', icon: 'webhook' },
    ],
  },
  {
    name: 'settings',
    entries: [
      { path: '/members', name: 'members', icon: 'members' },
      { path: '/audit', name: 'audit', icon: 'audit' },
      { path: '/capabilities', name: 'health', icon: 'capabilities' },
      { path: '/health', name: 'service', icon: 'health' },
    ],
  },
];

export function Navigation({ tenancy }: { tenancy: Tenancy }) {
  const { nav } = useWords();
  const { path } = useLocation();
  const base = `/t/${tenancy.slug}`;
  return (
    <nav aria-label={String(nav.label)}>
      {groups.map(({ name, entries }) => (
        <div class="nav-group" key={name ?? ''}>
          {name && <p class="nav-name">{nav[name]}</p>}
          <ul>
            {entries.map((entry) => (
              <li key={entry.path}>
                <a href={`${base}${entry.path}`} {...(isAt(path, base, entry.path) ? { 'aria-current': 'page' } : {})}>
                  {icons[entry.icon]}
                  {nav[entry.name]}
                </a>
              </li>
            ))}
          </ul>
        </div>
      ))}
    </nav>
  );
}

const isAt = (path: string, base: string, entry: string): boolean =>
  entry === '' ? path === base : path === `${base}${entry}` || path.startsWith(`${base}${entry}/`);
