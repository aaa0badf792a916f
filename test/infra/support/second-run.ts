import { refusalOf } from './aws-refusals.ts';
import { nameProperty } from './aws-rules.ts';
import type { Created } from './pulumi-mocks.ts';

/** Resources that AWS would refuse to make, to change or to delete when one program follows another, in its words. */
export function refusedAt(before: readonly Created[], after: readonly Created[]): string[] {
  const [old, next] = [byName(before), byName(after)];
  const inventory = {
    ofType: (type: string) =>
      [...new Map([...old, ...next]).values()]
        .filter((one) => one.type === type)
        .map((one) => ({ id: idOf(one), inputs: one.inputs })),
    snapshots: () => [],
  };
  const names = [...new Set([...old.keys(), ...next.keys()])].filter((name) => name.startsWith('aws:'));
  return names.flatMap((name) => {
    const [was, is] = [old.get(name), next.get(name)];
    // Nothing is asked of AWS where nothing changes.
    const asked = { type: (is ?? was)?.type ?? '', before: was?.inputs, after: is && kept(is, was) };
    if (JSON.stringify(asked.before) === JSON.stringify(asked.after)) return [];
    const others = {
      ...inventory,
      ofType: (type: string) => inventory.ofType(type).filter(({ inputs }) => inputs !== is?.inputs),
    };
    const sentence = refusalOf(asked, others);
    return sentence === undefined ? [] : [`${name}: ${sentence}`];
  });
}

const byName = (created: readonly Created[]) => new Map(created.map((one) => [`${one.type} ${one.name}`, one]));

const idOf = ({ type, name, inputs }: Created): string => String(inputs[nameProperty(type) ?? ''] ?? `${name}-id`);

/** As the engine asks: what it is told to ignore stays as it was. */
function kept({ inputs, ignores }: Created, was: Created | undefined): Record<string, unknown> {
  const asked = structuredClone(inputs);
  if (was) for (const path of ignores) put(asked, path.split('.'), at(was.inputs, path.split('.')));
  return asked;
}

const at = (value: unknown, path: readonly string[]): unknown =>
  path.reduce<unknown>((part, name) => (part as Record<string, unknown> | undefined)?.[name], value);

function put(value: Record<string, unknown>, [name = '', ...rest]: readonly string[], what: unknown): void {
  if (rest.length === 0) value[name] = what;
  else put(value[name] as Record<string, unknown>, rest, what);
}
