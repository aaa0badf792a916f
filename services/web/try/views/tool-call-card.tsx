import type { ToolCall } from '../../client/shapes.ts';
import { toolStatusInWords } from './wording.ts';

export function ToolCallCard({ call }: { call: ToolCall }) {
  return (
    <li class="tool" data-status={call.status}>
      <details onToggle={(event) => event.currentTarget.scrollIntoView({ block: 'nearest' })}>
        <summary>
          <span class="tool-kind">Tool</span> <code>{call.name}</code>{' '}
          <span class="tool-status">{statusLine(call)}</span>
        </summary>
        <h3>Arguments</h3>
        <pre>{pretty(call.arguments)}</pre>
        {call.finishedAt !== null && (
          <>
            <h3>Result</h3>
            <pre>{pretty(call.result)}</pre>
          </>
        )}
      </details>
    </li>
  );
}

function statusLine({ status, startedAt, finishedAt }: ToolCall): string {
  const words = toolStatusInWords[status] ?? status;
  return finishedAt === null ? words : `${words}, ${Date.parse(finishedAt) - Date.parse(startedAt)} ms`;
}

/** Results are stored as text; one that is JSON is easier to read spread out. */
function pretty(value: unknown): string {
  if (typeof value !== 'string') return JSON.stringify(value, null, 2) ?? 'nothing';
  try {
    return JSON.stringify(JSON.parse(value), null, 2);
  } catch {
    return value;
  }
}
