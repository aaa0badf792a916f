/**
 * `npm run soak -- pooler`: conversations with PostgreSQL behind a real PgBouncer, which is not on every machine that tests. Fails when a test does.
 */
import { readArguments } from '../toolchain/script.ts';
import { tellStories } from './stories.ts';

const help = `Usage: npm run soak -- pooler [--program pgbouncer]

Conversations behind a PgBouncer (1.21 or newer) that lends its connections for a transaction.`;

export async function soakPooler(args: string[]): Promise<void> {
  const { values } = readArguments({
    args,
    options: {
      program: { type: 'string', default: 'pgbouncer' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) return void process.stdout.write(`${help}\n`);
  await tellStories('SOAK_POOLER', ['test/flows/operator/pgbouncer.test.ts'], { value: values.program });
}
