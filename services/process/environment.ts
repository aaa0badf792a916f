/** A configuration that can't be used; its message lists every fault, one a line. */
export class ConfigurationError extends Error {
  constructor(faults: readonly string[]) {
    super(`The configuration cannot be used:\n${faults.map((fault) => `  ${fault}`).join('\n')}`);
    this.name = 'ConfigurationError';
  }
}

export interface EnvironmentReader {
  /** The variable as `parse` understands it; a fault is noted when it is missing, or when `parse` gives undefined. */
  required<Value>(name: string, shouldHold: string, parse: (text: string) => Value | undefined): Value;
  /** As `required`, with a value for when the variable is missing or empty. */
  optional<Value, Fallback>(
    name: string,
    fallback: Fallback,
    shouldHold: string,
    parse: (text: string) => Value | undefined,
  ): Value | Fallback;
  /** Notes a fault that concerns several variables. */
  fault(text: string): void;
  /** @throws ConfigurationError with all faults at once. */
  finish(): void;
}

/** Reads variables one by one and speaks about all faults together: call `finish` before using any value. */
export function readEnvironment(env: Record<string, string | undefined>): EnvironmentReader {
  const faults: string[] = [];
  const read = <Value>(name: string, shouldHold: string, parse: (text: string) => Value | undefined): Value => {
    const value = attempt(parse, env[name] ?? '');
    if (value === undefined)
      faults.push(`${name} ${env[name] ? 'has a value that is no use' : 'is missing'}: it should hold ${shouldHold}.`);
    // Never used: `finish` throws first.
    return value as Value;
  };
  return {
    required: read,
    optional: (name, fallback, shouldHold, parse) => (env[name] ? read(name, shouldHold, parse) : fallback),
    fault: (text) => void faults.push(text),
    finish: () => {
      if (faults.length > 0) throw new ConfigurationError(faults);
    },
  };
}

function attempt<Value>(parse: (text: string) => Value | undefined, text: string): Value | undefined {
  try {
    return text === '' ? undefined : parse(text);
  } catch {
    return undefined;
  }
}

export const aText = (text: string) => text;

/** An address of one of the protocols, such as `['ws:', 'wss:']`. */
export const anAddress =
  (...protocols: string[]) =>
  (text: string) =>
    protocols.includes(new URL(text).protocol) ? text : undefined;

export const aWholeNumber =
  (min: number, max: number) =>
  (text: string): number | undefined => {
    const number = /^\d{1,12}$/.test(text) ? Number(text) : Number.NaN;
    return number >= min && number <= max ? number : undefined;
  };

export const oneOf =
  <Choice extends string>(...choices: readonly Choice[]) =>
  (text: string): Choice | undefined =>
    choices.find((choice) => choice === text);
