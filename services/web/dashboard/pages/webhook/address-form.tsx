import { Field } from '../../parts/field.tsx';
import { useWords } from '../../words/use-words.ts';
import type { AddressChoice } from './address.ts';

interface Props {
  choice: AddressChoice;
  /** Whether there is something to write. */
  isChanged: boolean;
  onChoice(choice: AddressChoice): void;
  onReview(): void;
}

/** Where finished conversations are to go. */
export function AddressForm({ choice, isChanged, onChoice, onReview }: Props) {
  const { editor, webhook: words } = useWords();
  return (
    <form
      class="card form"
      onSubmit={(event) => {
        event.preventDefault();
        onReview();
      }}
    >
      <fieldset class="choices">
        <legend>{words.where}</legend>
        {(['address', 'variable', 'nowhere'] as const).map((kind) => (
          <label key={kind} class="choice">
            <input
              type="radio"
              name="kind"
              checked={choice.kind === kind}
              onChange={() => onChoice({ ...choice, kind })}
            />
            <span>
              {words.kinds[kind]} <span class="quiet">{words.kindsHow[kind]}</span>
            </span>
          </label>
        ))}
      </fieldset>
      {choice.kind === 'address' && (
        <Field
          {...{ label: words.address, hint: words.addressHint, required: true, maxLength: 2_000 }}
          value={choice.address}
          onValue={(address) => onChoice({ ...choice, address })}
        />
      )}
      {choice.kind === 'variable' && (
        <Field
          {...{ label: words.variable, hint: words.variableHint, required: true, maxLength: 100 }}
          value={choice.variable}
          onValue={(variable) => onChoice({ ...choice, variable })}
        />
      )}
      <div class="actions end">
        <button type="submit" class="primary" disabled={!isChanged}>
          {editor.review}
        </button>
      </div>
    </form>
  );
}
