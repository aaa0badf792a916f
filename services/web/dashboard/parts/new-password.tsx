import { useWords } from '../words/use-words.ts';
import { Field } from './field.tsx';

interface Props {
  label: string;
  value: string;
  onValue(value: string): void;
}

/** Of 12 to 200 characters, as the API asks for them. */
export function NewPassword(props: Props) {
  const { invitation } = useWords();
  return (
    <Field
      {...props}
      hint={invitation.passwordRule}
      type="password"
      autoComplete="new-password"
      required
      minLength={12}
      maxLength={200}
    />
  );
}
