/** When somebody came into the room and left it, as ISO 8601. */
interface Stay {
  role: string;
  joinedAt: string;
  leftAt: string | null;
}

/**
 * One bar a stay, one row for the person and one for the agent, from when the person came: an agent may have waited in a warm room for long.
 * The table says the same in words.
 */
export function StayBars({ stays, until }: { stays: readonly Stay[]; until: string | null }) {
  const persons = stays.filter(({ role }) => role === 'person');
  const begin = Math.min(...(persons.length > 0 ? persons : stays).map(({ joinedAt }) => Date.parse(joinedAt)));
  const ends = stays.map(({ leftAt }) => Date.parse(leftAt ?? until ?? '') || begin);
  const end = Math.max(...ends, begin + 1);
  const across = (at: number) => Math.min(100, Math.max(0, (100 * (at - begin)) / (end - begin)));
  return (
    <svg class="stays" viewBox="0 0 100 16" preserveAspectRatio="none" aria-hidden="true">
      {stays.map((stay) => {
        const from = across(Date.parse(stay.joinedAt));
        const to = stay.leftAt ? across(Date.parse(stay.leftAt)) : 100;
        return (
          <rect
            key={`${stay.role} ${stay.joinedAt}`}
            class={stay.role}
            x={from}
            y={stay.role === 'person' ? 0 : 9}
            width={Math.max(to - from, 0.5)}
            height={7}
          />
        );
      })}
    </svg>
  );
}
