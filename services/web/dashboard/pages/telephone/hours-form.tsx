import { useQueryClient } from '@tanstack/preact-query';
import { useState } from 'preact/hooks';
import type { NumberShown } from '../../account/account-api.ts';
import { useAccount, useHere } from '../../account/use-account.ts';
import { useAnnounce } from '../../parts/announcements.tsx';
import { Field } from '../../parts/field.tsx';
import { Failed } from '../../parts/states.tsx';
import { useSubmit } from '../../parts/use-submit.ts';
import { useWords } from '../../words/use-words.ts';

type Hours = Exclude<NumberShown['hours'], 'always'>;
type Span = Hours['open'][number];

const workdays: Span = { days: ['mon', 'tue', 'wed', 'thu', 'fri'], from: '09:00', to: '17:00' };
const week = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;
/** As many as the API takes. */
const spansAtMost = 14;

const firstHours = (): Hours => ({ zone: Intl.DateTimeFormat().resolvedOptions().timeZone, open: [workdays] });

interface Props {
  read: { shown: NumberShown; etag: string };
  digits: string;
}

/** When calls to a number are put through, and what is heard at other times. */
export function HoursForm({ read: { shown, etag }, digits }: Props) {
  const { api } = useAccount();
  const { tenancy } = useHere();
  const { telephone: words } = useWords();
  const queries = useQueryClient();
  const announce = useAnnounce();
  const [hours, setHours] = useState(shown.hours);
  const [whenRefused, setWhenRefused] = useState(shown.whenRefused);
  const { busy, error, submit } = useSubmit(async () => {
    await api.changeNumber(tenancy.id, digits, { etag, given: { hours, whenRefused } });
    await queries.invalidateQueries({ queryKey: ['numbers', tenancy.id] });
    await queries.invalidateQueries({ queryKey: ['number', tenancy.id, digits] });
    announce(words.saved(shown.number));
  });
  return (
    <form class="card form" onSubmit={(event) => void submit(event)}>
      <h2>{words.hoursOf(shown.number)}</h2>
      <fieldset class="choices">
        <legend class="visually-hidden">{words.hours}</legend>
        <label class="choice">
          <input type="radio" name="hours" checked={hours === 'always'} onChange={() => setHours('always')} />
          <span>{words.always}</span>
        </label>
        <label class="choice">
          <input
            type="radio"
            name="hours"
            checked={hours !== 'always'}
            onChange={() => setHours(shown.hours === 'always' ? firstHours() : shown.hours)}
          />
          <span>{words.atTimes}</span>
        </label>
      </fieldset>
      {hours !== 'always' && <Times hours={hours} onHours={setHours} />}
      {hours !== 'always' && (
        <label class="field">
          <span>{words.refused}</span>
          <select
            value={whenRefused}
            onChange={({ currentTarget: { value } }) => setWhenRefused(value as NumberShown['whenRefused'])}
          >
            <option value="busy">{words.refusals.busy}</option>
            <option value="sentence">{words.refusals.sentence}</option>
          </select>
          {whenRefused === 'sentence' && <span class="hint">{words.sentenceHow}</span>}
        </label>
      )}
      {error !== undefined && <Failed error={error} />}
      <div class="actions end">
        <button type="submit" class="primary" disabled={busy}>
          {words.saveHours}
        </button>
      </div>
    </form>
  );
}

function Times({ hours: { zone, open }, onHours }: { hours: Hours; onHours(hours: Hours): void }) {
  const { telephone: words } = useWords();
  const change = (at: number, span: Span) => onHours({ zone, open: open.with(at, span) });
  return (
    <>
      <Field
        {...{ label: words.zone, hint: words.zoneHint, required: true, maxLength: 64 }}
        value={zone}
        onValue={(other) => onHours({ zone: other.trim(), open })}
      />
      {open.map((span, at) => (
        <SpanFields
          key={at}
          number={at + 1}
          span={span}
          onSpan={(changed) => change(at, changed)}
          onRemove={() => onHours({ zone, open: open.toSpliced(at, 1) })}
        />
      ))}
      <p class="hint">{open.length === 0 ? words.noSpan : words.midnight}</p>
      <div class="actions">
        <button
          type="button"
          disabled={open.length >= spansAtMost}
          onClick={() => onHours({ zone, open: [...open, workdays] })}
        >
          {words.addSpan}
        </button>
      </div>
    </>
  );
}

interface SpanProps {
  number: number;
  span: Span;
  onSpan(span: Span): void;
  onRemove(): void;
}

function SpanFields({ number, span, onSpan, onRemove }: SpanProps) {
  const { telephone: words } = useWords();
  return (
    <fieldset class="form">
      <legend>{words.span(number)}</legend>
      <div class="actions">
        {week.map((day) => (
          <label key={day}>
            <input
              type="checkbox"
              checked={span.days.includes(day)}
              onChange={({ currentTarget: { checked } }) =>
                onSpan({ ...span, days: week.filter((one) => (one === day ? checked : span.days.includes(one))) })
              }
            />{' '}
            {words.days[day]}
          </label>
        ))}
      </div>
      <div class="actions">
        <Time label={words.opens} value={span.from} onValue={(from) => onSpan({ ...span, from })} />
        <Time label={words.closes} value={span.to} onValue={(to) => onSpan({ ...span, to })} />
        <button type="button" class="small-button" aria-label={words.removeSpan(number)} onClick={onRemove}>
          {words.remove}
        </button>
      </div>
    </fieldset>
  );
}

/** A line, since the browser's own field for times knows no 24:00. */
function Time({ label, value, onValue }: { label: string; value: string; onValue(value: string): void }) {
  return (
    <label>
      {label}{' '}
      <input
        type="text"
        class="time"
        required
        size={5}
        inputMode="numeric"
        pattern="([01]\d|2[0-4]):[0-5]\d"
        value={value}
        onInput={(event) => onValue(event.currentTarget.value)}
      />
    </label>
  );
}
