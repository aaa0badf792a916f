import type { SessionFilter } from '../../account/account-api.ts';
import { useAccount, useHere } from '../../account/use-account.ts';
import { useAnnounce } from '../../parts/announcements.tsx';
import { Menu } from '../../parts/menu.tsx';
import { refusalInWords, useWords } from '../../words/use-words.ts';

const formats = ['csv', 'jsonl'] as const;

/** What the list shows, as a file: fetched by the browser from an address that works once. */
export function Export({ filter }: { filter: SessionFilter }) {
  const { api } = useAccount();
  const { tenancy } = useHere();
  const words = useWords();
  const announce = useAnnounce();
  const fetchAs = (format: string) =>
    api.exportOf(tenancy.id, { ...filter, format: format === 'jsonl' ? 'jsonl' : 'csv' }).then(
      ({ url }) => location.assign(url),
      (error: unknown) => announce(refusalInWords(error, words)),
    );
  const items = formats.map((value) => ({ value, name: words.sessions.formats[value] }));
  return (
    <Menu label={words.sessions.export} groups={[{ items }]} onSelect={(format) => void fetchAs(format)}>
      {words.sessions.export}
    </Menu>
  );
}
