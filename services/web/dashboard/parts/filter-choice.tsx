import { useLocation } from 'preact-iso';
import { useWords } from '../words/use-words.ts';

export interface FilterProps {
  name: string;
  /** Undefined or empty: anything. */
  value: string | undefined;
  /** Codes with their words. */
  options: readonly (readonly [string, string])[];
  onValue(value: string): void;
}

/** One of the things by which a list is narrowed. */
export function FilterChoice({ name, value = '', options, onValue }: FilterProps) {
  const { sessions } = useWords();
  const known = options.some(([code]) => code === value);
  return (
    <label class="filter">
      <span>{name}</span>
      <select value={value} onChange={(event) => onValue(event.currentTarget.value)}>
        <option value="">{sessions.any}</option>
        {value && !known && <option value={value}>{value}</option>}
        {options.map(([code, words]) => (
          <option key={code} value={code}>
            {words}
          </option>
        ))}
      </select>
    </label>
  );
}

/** For a list that is narrowed by one thing only, which stands in the address under `parameter`. */
export function OneFilter({ parameter, ...choice }: Omit<FilterProps, 'value' | 'onValue'> & { parameter: string }) {
  const { sessions } = useWords();
  const { path, query, route } = useLocation();
  const choose = (value: string) => route(value ? `${path}?${new URLSearchParams({ [parameter]: value })}` : path);
  return (
    <form class="filters" aria-label={sessions.filters} onSubmit={(event) => event.preventDefault()}>
      <FilterChoice {...choice} value={query[parameter]} onValue={choose} />
    </form>
  );
}
