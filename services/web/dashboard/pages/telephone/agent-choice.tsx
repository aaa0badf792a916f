import { useQuery } from '@tanstack/preact-query';
import { useAccount, useHere } from '../../account/use-account.ts';
import { useWords } from '../../words/use-words.ts';

interface Props {
  /** Empty: nobody. */
  value: string;
  /** Whether nobody can be chosen. */
  mayBeNobody: boolean;
  disabled?: boolean;
  onValue(agent: string): void;
}

/** Which agent answers. */
export function AgentChoice({ value, mayBeNobody, disabled = false, onValue }: Props) {
  const { api } = useAccount();
  const { tenancy } = useHere();
  const { telephone: words } = useWords();
  const { data } = useQuery({ queryKey: ['agents', tenancy.id], queryFn: () => api.agents(tenancy.id) });
  const names = data?.items.map(({ agent }) => agent) ?? [];
  const shown = value === '' || names.includes(value) ? names : [value, ...names];
  return (
    <select
      aria-label={words.agent}
      value={value}
      disabled={disabled}
      onChange={(event) => onValue(event.currentTarget.value)}
    >
      {mayBeNobody && <option value="">{words.nobody}</option>}
      {shown.map((name) => (
        <option key={name} value={name}>
          {name}
        </option>
      ))}
    </select>
  );
}
