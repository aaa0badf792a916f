import type { Draft, Message, ToolCall } from '../../account/account-api.ts';
import { milliseconds } from '../../words/formats.ts';
import { named, useFormats, useWords } from '../../words/use-words.ts';
import { Stages } from './stages.tsx';
import { linesOf } from './turns.ts';

interface Props {
  messages: readonly Message[];
  toolCalls: readonly ToolCall[];
  /** Replies on their way. */
  drafts?: readonly Draft[];
}

/** Every line with its moment; tools where they were called. */
export function Transcript({ messages, toolCalls, drafts = [] }: Props) {
  const { session } = useWords();
  const lines = linesOf(messages, toolCalls);
  if (lines.length + drafts.length === 0) return <p class="quiet">{session.nothingSaid}</p>;
  return (
    <ol class="lines">
      {lines.map((line, index) =>
        line.kind === 'message' ? (
          <Said key={`${line.at} ${index}`} message={line.message} />
        ) : (
          <Called key={`${line.at} ${index}`} call={line.call} />
        ),
      )}
      {drafts.map(({ turn, content }) => (
        <li class="line" data-from="agent" aria-busy="true" key={`draft ${turn}`}>
          <p class="line-head">
            <strong>{session.agent}</strong>
            <span>{session.speaking}</span>
          </p>
          <p class="words">{content}</p>
        </li>
      ))}
    </ol>
  );
}

function Said({ message }: { message: Message }) {
  const { session } = useWords();
  const { clock } = useFormats();
  const from = message.role === 'USER' ? 'person' : 'agent';
  return (
    <li class="line" data-from={from}>
      <p class="line-head">
        <strong>{session[from]}</strong>
        <time dateTime={message.at}>{clock(message.at).slice(0, 8)}</time>
        {message.mode === 'VOICE' && <span>{session.spoken}</span>}
        {message.interrupted && <span class="warn">{session.interrupted}</span>}
      </p>
      <p class="words">{message.content}</p>
      {message.timing && <Stages timing={message.timing} />}
    </li>
  );
}

export function Called({ call }: { call: ToolCall }) {
  const { session, codes } = useWords();
  const took = call.finishedAt === null ? undefined : Date.parse(call.finishedAt) - Date.parse(call.startedAt);
  return (
    <li class="line" data-from="tool" data-status={call.status}>
      <details>
        <summary>
          <code>{call.name}</code>
          <span class="quiet">
            {named(codes.tool, call.status)}
            {took !== undefined && `, ${milliseconds(took)}`}
          </span>
        </summary>
        {'arguments' in call && call.arguments !== undefined ? (
          <>
            <h3>{session.arguments}</h3>
            <pre>{pretty(call.arguments)}</pre>
            <h3>{session.result}</h3>
            <pre>{pretty(call.result)}</pre>
          </>
        ) : (
          <p class="quiet">{session.hidden}</p>
        )}
      </details>
    </li>
  );
}

/** Results are stored as text; one that is JSON is easier to read spread out. */
function pretty(value: unknown): string {
  if (typeof value !== 'string') return JSON.stringify(value, null, 2) ?? '';
  try {
    return JSON.stringify(JSON.parse(value), null, 2);
  } catch {
    return value;
  }
}
