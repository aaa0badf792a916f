import { Command } from '@commander-js/extra-typings';
import { sendTestDelivery, type TestDelivery } from '../../../services/core/deliveries/test-delivery.ts';
import { whyNotSent } from '../../../services/core/deliveries/webhook-target.ts';
import { systemClock } from '../../../services/process/clock.ts';
import { guardedFetch } from '../../../services/process/outbound/guarded-fetch.ts';
import { Fault } from '../../toolchain/fault.ts';
import { asOperator } from '../operator.ts';
import { onTarget } from '../target.ts';

export const command = onTarget(
  new Command()
    .description("Sends a test event to an agent's webhook and shows what came back")
    .argument('<agent>', 'its file name without .yaml')
    .option('--payload', 'shows what was sent, too')
    .addHelpText(
      'after',
      '\nThe event is conversation.test, signed and of the same shape as conversation.finished. It is sent once.',
    ),
).action((agent, { payload = false, ...flags }) =>
  asOperator(flags, async ({ db, tenant, target, vault, say }) => {
    const deps = { db, vault: vault(), clock: systemClock, forAgents: target.forAgents, guardedFetch };
    const sent = await sendTestDelivery({ ...deps, allowLoopback: target.isDevelopment }, { tenant, agent });
    if (typeof sent === 'string') throw new Fault(whyNot(agent, sent));
    report(sent, say);
    if (payload) say(`Sent      ${sent.body}`);
    if (sent.attempt.result !== 'delivered') process.exitCode = 1;
  }),
);

function whyNot(agent: string, why: Exclude<Awaited<ReturnType<typeof sendTestDelivery>>, TestDelivery>): string {
  return why === 'variable_missing'
    ? 'The address of the webhook is a secret, and its variable is not set here: set it and try again.'
    : whyNotSent(agent, why);
}

function report({ id, target, attempt }: TestDelivery, say: (line: string) => void): void {
  say(`Sent to   ${target}`);
  say(`Id        ${id}`);
  say(`Status    ${attempt.statusCode ?? 'no answer'} after ${attempt.durationMs} ms`);
  if (attempt.error) say(`Problem   ${attempt.error}`);
  if (attempt.excerpt) say(`Response  ${attempt.excerpt}`);
}
