import { StayBars } from '../../../design/stay-bars.tsx';
import type { SessionShown } from '../../account/account-api.ts';
import { milliseconds } from '../../words/formats.ts';
import { useFormats, useWords } from '../../words/use-words.ts';

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
