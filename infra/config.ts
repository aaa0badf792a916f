/** The stack's configuration: the only reader of it. */
import { tenantFields, validateTenantConfiguration } from '../services/contract/schemas.ts';
import { explainAll } from '../services/contract/wording.ts';
import { broken, rulesOfEveryTarget } from './config-rules.ts';
import { rulesOfTelephone } from './phone-rules.ts';
import { Refusal } from './refusal.ts';
import { targets } from './targets/registry.ts';
import type { Tenant } from './tenant.ts';

/** Lists every fault, one a line, each with its path. */
const refusal = (faults: readonly string[]) =>
  new Refusal(`The stack's configuration cannot be used:\n${faults.map((fault) => `  ${fault}`).join('\n')}`);

const namespace = 'parley:';
/** Room for what names add to it, within the 63 characters that Kubernetes allows. */
const slugPattern = /^[a-z]([a-z0-9-]{0,38}[a-z0-9])?$/;

/**
 * Reads `parley:…` out of the stack's configuration as the engine gives it (texts; maps are JSON).
 * @throws Refusal with every fault at once
 */
export function readTenant(stack: string, config: Readonly<Record<string, string>>): Tenant {
  const faults: string[] = [];
  const given: Record<string, unknown> = {};
  for (const [key, text] of Object.entries(config)) {
    if (!key.startsWith(namespace)) continue;
    const field = key.slice(namespace.length);
    given[field] = parsed(field, text);
  }
  // Before defaults are filled in: a target's section is named for it. Pulumi gives the empty defaults of Pulumi.yaml.
  const sections = new Set(Object.keys(given).filter((name) => !isEmpty(given[name])));
  if (!slugPattern.test(stack))
    faults.push(`The stack's name "${stack}" must be 1 to 40 lower-case letters, digits and hyphens, a letter first.`);
  if (!validateTenantConfiguration(given)) {
    const explanations = explainAll(validateTenantConfiguration.errors ?? []);
    faults.push(
      ...explanations.map(({ path, missing, message }) => at([...path, ...(missing ? [missing] : [])], message)),
    );
    throw refusal(faults);
  }
  faults.push(
    ...Object.keys(targets)
      .filter((name) => name !== given.target && sections.has(name))
      .map((name) =>
        at([name], `These are settings of the target ${name}, and this stack's is ${given.target}: leave them out.`),
      ),
  );
  const rules = [...rulesOfEveryTarget, ...rulesOfTelephone, ...targets[given.target].rules];
  if (given.mayErase !== undefined && given.mayErase !== stack)
    faults.push(
      at(['mayErase'], `It says whose data may be erased: only "${stack}", the stack's own name, is understood.`),
    );
  faults.push(...broken(rules, given).map(({ path, message }) => at(path, message)));
  if (faults.length > 0) throw refusal(faults);
  const foundation = typeof given.foundation === 'object' ? given.foundation : 'create';
  return { ...given, slug: stack, name: given.name ?? stack, foundation };
}

const isEmpty = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && Object.keys(value).length === 0;

const at = (path: readonly string[], message: string) => `${namespace}${path.join('.')}: ${message}`;

/** A map that is no JSON stays a text, and validation says what it should be. */
function parsed(field: string, text: string): unknown {
  const isText = 'type' in (fieldOf(field) ?? {}) && fieldOf(field)?.type === 'string';
  if (isText || !/^[[{]/.test(text)) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

const fieldOf = (field: string): { type?: string | string[] } | undefined =>
  (tenantFields as Record<string, { type?: string | string[] }>)[field];
