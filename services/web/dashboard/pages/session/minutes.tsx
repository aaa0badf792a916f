import type { SessionShown } from '../../account/account-api.ts';
import { milliseconds } from '../../words/formats.ts';
import { useFormats, useWords } from '../../words/use-words.ts';

type Stay = SessionShown['presence'][number];

/** The evidence behind the figures: who was in the room, from when to when, and what told us so. */
export function Minutes({ session }: { session: SessionShown }) {
  const { session: words } = useWords();
  const { clock } = useFormats();
  if (session.presence.length === 0) return <p class="quiet">{words.nobody}</p>;
  return (
    <>
      <p class="quiet">{words.minutesHow}</p>
      <StayBars stays={session.presence} until={session.endedAt} />
      <div class="table-box flat">
        <table class="small">
          <thead>
            <tr>
              <th scope="col">{words.who}</th>
              <th scope="col">{words.joined}</th>
              <th scope="col">{words.left}</th>
              <th scope="col" class="figure">
                {words.stayed}
              </th>
            </tr>
          </thead>
          <tbody>
            {session.presence.map((stay) => (
              <tr key={`${stay.role} ${stay.joinedAt}`}>
                <th scope="row" data-role={stay.role}>
                  {words[stay.role]}
                </th>
                <td>{clock(stay.joinedAt)}</td>
                <td>{stay.leftAt ? clock(stay.leftAt) : words.stillThere}</td>
                <td class="figure">
                  {stay.leftAt ? milliseconds(Date.parse(stay.leftAt) - Date.parse(stay.joinedAt)) : ''}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <Evidence events={session.events} />
    </>
  );
}

/**
 * One bar a stay, one row for the person and one for the agent, from when the person came: an agent may have waited in a warm room for long.
 * The table says the same in words.
 */
function StayBars({ stays, until }: { stays: readonly Stay[]; until: string | null }) {
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

function Evidence({ events }: { events: SessionShown['events'] }) {
  const { session: words } = useWords();
  const { clock } = useFormats();
  if (events.length === 0) return null;
  return (
    <details class="evidence">
      <summary>{words.evidence(events.length)}</summary>
      <div class="table-box flat">
        <table class="small">
          <thead>
            <tr>
              <th scope="col">{words.time}</th>
              <th scope="col">{words.event}</th>
              <th scope="col">{words.source}</th>
            </tr>
          </thead>
          <tbody>
            {events.map((event, index) => (
              <tr key={index}>
                <td>{clock(event.at)}</td>
                <td>{event.kind}</td>
                <td>{event.source}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  );
}
