import type { SessionDetails } from '../../client/shapes.ts';
import { StayBars } from '../../design/stay-bars.tsx';
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
      <StayBars stays={details.presence} until={details.endedAt} />
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
