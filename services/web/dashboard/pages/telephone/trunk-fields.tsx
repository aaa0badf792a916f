import { useId } from 'preact/hooks';
import { Field } from '../../parts/field.tsx';
import { useWords } from '../../words/use-words.ts';
import type { TrunkDraft } from './trunk-draft.ts';

interface Props {
  draft: TrunkDraft;
  onDraft(draft: TrunkDraft): void;
}

/** Everything of a trunk but its name. */
export function TrunkFields({ draft, onDraft }: Props) {
  const { trunks: words } = useWords();
  const at = (field: keyof TrunkDraft) => ({
    label: words[field],
    value: draft[field],
    onValue: (value: string) => onDraft({ ...draft, [field]: value }),
  });
  return (
    <>
      <Field {...at('address')} hint={words.addressHint} required maxLength={253} />
      <label class="field">
        <span>{words.transport}</span>
        <select
          value={draft.transport}
          onChange={({ currentTarget: { value } }) =>
            onDraft({ ...draft, transport: value as TrunkDraft['transport'] })
          }
        >
          {['udp', 'tcp', 'tls'].map((transport) => (
            <option key={transport} value={transport}>
              {transport.toUpperCase()}
            </option>
          ))}
        </select>
      </label>
      <fieldset class="form">
        <legend>{words.callsIn}</legend>
        <p class="hint">{words.callsInHow}</p>
        <Field {...at('username')} required={isFilled(draft.password)} autoComplete="off" maxLength={100} />
        <Field
          {...at('password')}
          hint={words.passwordHint}
          required={isFilled(draft.username)}
          autoComplete="off"
          maxLength={100}
        />
        <Lines {...at('allowedAddresses')} hint={words.allowedAddressesHint} />
      </fieldset>
      <fieldset class="form">
        <legend>{words.callsOut}</legend>
        <p class="hint">{words.callsOutHow}</p>
        <Lines {...at('allowedPrefixes')} hint={words.allowedPrefixesHint} />
        <Figure {...at('maxDialsPerMinute')} />
        <Figure {...at('maxCallsPerDay')} />
        <Figure {...at('maxMinutesPerDay')} />
      </fieldset>
    </>
  );
}

/** A user name and a password go together. */
const isFilled = (text: string): boolean => text.trim() !== '';

interface FieldProps {
  label: string;
  value: string;
  onValue(value: string): void;
}

function Lines({ label, hint, value, onValue }: FieldProps & { hint: string }) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <textarea
        id={id}
        rows={2}
        aria-describedby={`${id}-hint`}
        value={value}
        onInput={(event) => onValue(event.currentTarget.value)}
      />
      <p class="hint" id={`${id}-hint`}>
        {hint}
      </p>
    </div>
  );
}

function Figure({ label, value, onValue }: FieldProps) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        id={id}
        type="number"
        min={0}
        step={1}
        required
        value={value}
        onInput={(event) => onValue(event.currentTarget.value)}
      />
    </div>
  );
}
