import type { SessionDetails, Stay } from '../../client/shapes.ts';
import { lengthInWords, roleInWords, timeOfDay } from './wording.ts';

/** The evidence behind the figures: who was in the room, from when to when. */
export function Minutes({ details }: { details: SessionDetails }) {
  if (details.presence.length === 0) return <p class="quiet">Nobody was in the room, so nothing is billed.</p>;
  return (
    <>
      <p class="quiet">
        Billed is the time that you were in the room, with gaps after which you came back in time, without the time that
        no agent was there (beyond 5 s).
      </p>
      <StayChart stays={details.presence} until={Date.parse(details.endedAt ?? '')} />
      <div class="table">
        <table>
          <caption>In the room</caption>
          <thead>
            <tr>
              <th scope="col">Who</th>
              <th scope="col">Joined</th>
              <th scope="col">Left</th>
              <th scope="col">Stayed</th>
            </tr>
          </thead>
          <tbody>
            {details.presence.map((stay) => (
              <tr key={`${stay.role} ${stay.joinedAt}`}>
                <th scope="row" data-role={stay.role}>
                  {roleInWords(stay.role)}
                </th>
                <td>{timeOfDay(stay.joinedAt)}</td>
                <td>{stay.leftAt ? timeOfDay(stay.leftAt) : 'still there'}</td>
                <td>{stay.leftAt ? lengthInWords(Date.parse(stay.leftAt) - Date.parse(stay.joinedAt)) : ''}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <Evidence events={details.events} />
    </>
  );
}

/**
 * One bar a stay, one row for the person and one for the agent, from when the person came: an agent may have waited in a warm
 * room for long. The table says the same in words.
 */
function StayChart({ stays, until }: { stays: readonly Stay[]; until: number }) {
  const persons = stays.filter(({ role }) => role === 'person');
  const begin = Math.min(...(persons.length > 0 ? persons : stays).map((stay) => Date.parse(stay.joinedAt)));
  const end = Math.max(...stays.map((stay) => (stay.leftAt ? Date.parse(stay.leftAt) : until || begin)), begin + 1);
  const across = (at: number) => Math.max(0, (100 * (at - begin)) / (end - begin));
  return (
    <svg class="stays" viewBox="0 0 100 16" preserveAspectRatio="none" aria-hidden="true">
      {stays.map((stay) => {
        const from = across(Date.parse(stay.joinedAt));
        const to = across(stay.leftAt ? Date.parse(stay.leftAt) : end);
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

function Evidence({ events }: { events: SessionDetails['events'] }) {
  if (events.length === 0) return null;
  return (
    <details>
      <summary>Events that the figures were computed from ({events.length})</summary>
      <div class="table">
        <table>
          <thead>
            <tr>
              <th scope="col">Time</th>
              <th scope="col">Event</th>
              <th scope="col">Told by</th>
            </tr>
          </thead>
          <tbody>
            {events.map((event, index) => (
              <tr key={index}>
                <td>{timeOfDay(event.at)}</td>
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
