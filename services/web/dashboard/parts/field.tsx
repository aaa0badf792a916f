import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';

interface Props {
  label: string;
  hint?: ComponentChildren;
  type?: 'text' | 'email' | 'password';
  autoComplete?: string;
  required?: boolean;
  minLength?: number;
  maxLength?: number;
  value: string;
  onValue(value: string): void;
}

/** A line to write in, with its name above and what it should hold below. */
export function Field({ label, hint, type = 'text', value, onValue, ...limits }: Props) {
  const id = useId();
  const shared = {
    ...limits,
    id,
    value,
    onInput: (event: Event) => onValue((event.currentTarget as HTMLInputElement).value),
    ...(hint ? { 'aria-describedby': `${id}-hint` } : {}),
  };
  // One by one: Preact's types tell inputs apart by a literal.
  const inputs = {
    text: <input {...shared} type="text" />,
    email: <input {...shared} type="email" />,
    password: <input {...shared} type="password" />,
  };
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {inputs[type]}
      {hint && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
    </div>
  );
}
