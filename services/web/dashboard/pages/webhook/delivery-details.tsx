import type { Delivery } from '../../account/account-api.ts';
import { milliseconds } from '../../words/formats.ts';
import { useFormats, useWords } from '../../words/use-words.ts';
import { DeliveryBadge } from './delivery-badge.tsx';

/** The exact request, and each attempt with what came back. */
export function DeliveryDetails({ delivery }: { delivery: Delivery }) {
  const { webhook: words } = useWords();
  return (
    <div class="stack">
      <p class="session-line">
        <DeliveryBadge status={delivery.status} />
        <code>{delivery.url}</code>
      </p>
      {delivery.attempts.length === 0 && <p class="quiet">{words.noAttempt}</p>}
      {delivery.attempts.map((attempt) => (
        <Attempt key={attempt.attempt} attempt={attempt} />
      ))}
      <details>
        <summary>{words.body}</summary>
        <pre>{spread(delivery.body)}</pre>
      </details>
    </div>
  );
}

function Attempt({ attempt }: { attempt: Delivery['attempts'][number] }) {
  const { webhook: words } = useWords();
  const { clock, day } = useFormats();
  return (
    <details class="attempt" open={attempt.error !== null}>
      <summary>
        {words.attempt(attempt.attempt)}: {attempt.statusCode ?? words.noAnswer}{' '}
        <span class="quiet">
          {day(attempt.at)}, {clock(attempt.at)}, {milliseconds(attempt.durationMs)}
        </span>
      </summary>
      {attempt.error && <p class="warn">{attempt.error}</p>}
      {attempt.requestHeaders && (
        <>
          <h3>{words.headers}</h3>
          <pre>
            {Object.entries(attempt.requestHeaders)
              .map(([name, value]) => `${name}: ${value}`)
              .join('\n')}
          </pre>
        </>
      )}
      {attempt.answer && (
        <>
          <h3>{words.answer}</h3>
          <pre>{attempt.answer}</pre>
        </>
      )}
    </details>
  );
}

function spread(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}
