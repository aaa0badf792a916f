import { useLocation } from 'preact-iso';
import type { Me } from '../account/account-api.ts';
import { useAccount } from '../account/use-account.ts';
import { useAnnounce } from '../parts/announcements.tsx';
import { Menu, type MenuGroup } from '../parts/menu.tsx';
import { themes } from '../preferences.ts';
import { type Language, languages, refusalInWords, useSpoken } from '../words/use-words.ts';
import { icons } from './icons.tsx';
import { usePreferences } from './use-preferences.ts';

/** Who one is, how the pages look to them, and the way out. */
export function PersonMenu({ person }: { person: Me['person'] }) {
  const { words, language, formats } = useSpoken();
  const { preferences, setPreferences } = usePreferences();
  const { keeper } = useAccount();
  const { route } = useLocation();
  const announce = useAnnounce();

  const signOut = () =>
    keeper.signOut().then(
      () => route('/sign-in'),
      (error: unknown) => announce(refusalInWords(error, words)),
    );
  const select = (value: string) => {
    const [kind, chosen] = value.split(':');
    if (kind === 'sign-out') return void signOut();
    if (kind === 'account') return route('/account');
    if (kind === 'language') return setPreferences({ ...preferences, language: chosen as Language });
    const theme = themes.find((one) => one === chosen);
    if (theme) setPreferences({ ...preferences, theme });
  };
  const groups: MenuGroup[] = [
    {
      name: words.person.theme,
      items: themes.map((theme) => ({
        value: `theme:${theme}`,
        name: words.person.themes[theme],
        chosen: theme === preferences.theme,
      })),
    },
    {
      name: words.person.language,
      items: Object.entries(languages).map(([code, name]) => ({
        value: `language:${code}`,
        name,
        chosen: code === language,
      })),
    },
    {
      name: person.email,
      items: [
        { value: 'account', name: words.account.title },
        { value: 'sign-out', name: words.person.signOut },
      ],
    },
  ];
  return (
    <div class="person">
      <Menu label={words.person.menu} groups={groups} onSelect={select}>
        <span class="who">
          <span class="initial" aria-hidden="true">
            {[...person.name][0]?.toUpperCase()}
          </span>
          <span class="who-text">
            <strong>{person.name}</strong>
            <small>{person.email}</small>
          </span>
        </span>
        {icons.choose}
      </Menu>
      <p class="zone">{words.person.times(formats.timeZone)}</p>
    </div>
  );
}
