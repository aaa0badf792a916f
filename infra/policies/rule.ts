/** A resource as a component asks for it, before it is created. */
export interface Candidate {
  /** Such as `aws:rds/instance:Instance` or `kubernetes:apps/v1:Deployment`. */
  type: string;
  name: string;
  props: Readonly<Record<string, unknown>>;
  /** Whether the engine refuses to delete it. */
  isProtected: boolean;
}

export interface PolicyRule {
  /** What a failure is called by. */
  name: string;
  /** What is wrong with the resource, one sentence; undefined when nothing is. */
  check(candidate: Candidate): string | undefined;
}

/** The part of a value that `path` leads to (`spec.template.spec`); undefined where there is none. */
export function at(value: unknown, path: string): unknown {
  return path.split('.').reduce<unknown>((part, key) => (isRecord(part) ? part[key] : undefined), value);
}

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const listAt = (value: unknown, path: string): unknown[] => {
  const found = at(value, path);
  return Array.isArray(found) ? found : [];
};
