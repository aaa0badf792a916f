import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { readTenant } from '../../infra/config.ts';
import { planTenant } from '../../infra/plan.ts';
import { targets } from '../../infra/targets/registry.ts';

const folder = join(import.meta.dirname, '../../examples');
const files = readdirSync(folder).filter((name) => /^Pulumi\..+\.yaml$/.test(name));

test('there are three examples', () => {
  expect(files.sort()).toEqual(['Pulumi.acme.yaml', 'Pulumi.dev.yaml', 'Pulumi.shared.yaml']);
});

test.each(files)('%s is a tenant that can be planned', (name) => {
  const { config } = parse(readFileSync(join(folder, name), 'utf8')) as { config: Record<string, unknown> };
  const given = Object.fromEntries(
    Object.entries(config).map(([key, value]) => [key, typeof value === 'string' ? value : JSON.stringify(value)]),
  );
  const slug = name.split('.')[1] ?? '';
  const plan = planTenant(readTenant(slug, given));
  const { tenant } = plan;
  expect(tenant.slug).toBe(slug);
  expect(targets[tenant.target].finish(plan).cost !== undefined).toBe(tenant.target === 'aws');
});
