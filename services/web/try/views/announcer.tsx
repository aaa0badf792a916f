import type { ConversationState } from '../../client/conversation/state.ts';
import { connectionInWords } from './wording.ts';

/**
 * What a screen reader says by itself: each reply once, when it is complete (its chunks would be read as fragments), and the
 * connection. The agent's state is only shown; spoken, it would talk over the answers.
 */
export function Announcer({ state }: { state: ConversationState }) {
  const reply = state.entries.findLast((entry) => entry.from === 'agent' && entry.progress !== 'streaming');
  return (
    <div class="visually-hidden">
      <div role="log" aria-live="polite" aria-label="Latest reply">
        {reply && (
          <p key={reply.id} lang={state.language}>
            {reply.text}
          </p>
        )}
      </div>
      <p role="status">{connectionInWords(state.connection)}</p>
    </div>
  );
}
