import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { ConversationState } from '../../client/conversation/state.ts';
import { Frame } from './frame.tsx';
import { Minutes } from './minutes.tsx';
import { Transcript } from './transcript.tsx';
import { codeInWords, durationInWords, endReasonInWords } from './wording.ts';

interface Props {
  state: ConversationState;
  onNew(): void;
  onAgain(): void;
  children: ComponentChildren;
}

export function Ended({ state, onNew, onAgain, children }: Props) {
  const heading = useRef<HTMLHeadingElement>(null);
  const figures = state.details?.status === 'ended' ? state.details : state.figures;

  useEffect(() => heading.current?.focus(), []);

  return (
    <Frame wide>
      <div class="talk-head">
        <div>
          <h1 ref={heading} tabIndex={-1}>
            Conversation over
          </h1>
          <p class="situation">
            {state.agent.name}. {endReasonInWords(figures?.endReason)}
          </p>
        </div>
        <div class="actions">
          <button type="button" class="primary" onClick={onAgain}>
            Talk again
          </button>
          <button type="button" onClick={onNew}>
            New conversation
          </button>
        </div>
      </div>
      <div class="ended">
        <div class="report">
          <section class="card" aria-labelledby="summary">
            <h2 id="summary">Summary</h2>
            <Summary state={state} />
          </section>
          <section class="card" aria-labelledby="minutes">
            <h2 id="minutes">Minutes</h2>
            <dl class="figures">
              <Figure name="Duration" value={inWords(figures?.durationSeconds)} />
              <Figure name="Billed" value={inWords(figures?.billedSeconds)} />
            </dl>
            {state.details && <Minutes details={state.details} />}
          </section>
          {children}
        </div>
        <section class="card" aria-labelledby="said">
          <h2 id="said">What was said</h2>
          <Transcript state={state} />
        </section>
      </div>
    </Frame>
  );
}

const inWords = (seconds: number | null | undefined) =>
  typeof seconds === 'number' ? durationInWords(seconds) : 'not known';

function Figure({ name, value }: { name: string; value: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}

function Summary({ state: { details, detailsShown, settled } }: { state: ConversationState }) {
  if (!detailsShown)
    return (
      <p class="quiet">The server shows summaries here in development only; they are sent to the agent's webhook.</p>
    );
  const outcome = details?.outcome;
  return (
    <>
      <div aria-live="polite">
        {details?.summary && <p>{details.summary}</p>}
        {!details?.summary && <p class="quiet">{settled ? 'No summary was made.' : 'The summary is being written…'}</p>}
      </div>
      {outcome && (
        <dl class="figures">
          <Figure name="Outcome" value={codeInWords(outcome)} />
          {details.sentiment && <Figure name="Sentiment" value={codeInWords(details.sentiment)} />}
        </dl>
      )}
    </>
  );
}
