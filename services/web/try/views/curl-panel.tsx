import { useState } from 'preact/hooks';
import { asCurl } from '../../client/curl.ts';
import type { ApiRequest } from '../../client/request.ts';

/** The calls that this page made of the public interface, for a shell. */
export function CurlPanel({ requests, sessionId }: { requests: readonly ApiRequest[]; sessionId: string | undefined }) {
  if (requests.length === 0) return null;
  return (
    <details class="curl">
      <summary>As curl</summary>
      {sessionId && (
        <p>
          Session <code>{sessionId}</code>
        </p>
      )}
      <ol>
        {requests.map((request, index) => (
          <li key={index}>
            <Command request={request} />
          </li>
        ))}
      </ol>
    </details>
  );
}

function Command({ request }: { request: ApiRequest }) {
  const [copied, setCopied] = useState(false);
  const command = asCurl(request);
  const copy = () => navigator.clipboard?.writeText(command).then(() => setCopied(true));
  return (
    <div class="command">
      <pre>{command}</pre>
      <button
        type="button"
        onClick={copy}
        aria-label={`Copy ${request.method} ${new URL(request.url).pathname} as curl`}
      >
        <span aria-live="polite">{copied ? 'Copied' : 'Copy'}</span>
      </button>
    </div>
  );
}
