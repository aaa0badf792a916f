/** Whether what people are asked to show before a conversation can be verified. */
import { bestEffort } from '../../../../services/process/best-effort.ts';
import { type Caller, callApi } from './caller.ts';
import { type Finding, failed, ok, warning } from './finding.ts';

const check = 'challenge';

/** Undefined: the agent asks for none. */
export async function checkChallenge(caller: Caller): Promise<Finding | undefined> {
  const provider = await providerOf(caller);
  return provider === undefined ? undefined : findingOf(caller, provider);
}

/** The widget is told; so is who calls itself one. */
async function providerOf(caller: Caller): Promise<string | undefined> {
  const answer = await callApi(caller, '/api/sessions/languages', { headers: { 'x-parley-client': 'widget/doctor' } });
  const { widget } = (await answer.json()) as { widget?: { challenge?: { provider: string } } };
  return widget?.challenge?.provider;
}

/** An answer that nobody was given: a provider that knows our secret refuses it, and one that does not says so. */
async function findingOf(caller: Caller, provider: string): Promise<Finding> {
  const headers = { 'content-type': 'application/json', 'x-parley-challenge': 'doctor' };
  const answer = await callApi(caller, '/api/sessions', { method: 'POST', headers, body: '{}' });
  const { code, message, sessionId } = (await answer.json()) as Record<string, string | undefined>;
  if (sessionId !== undefined) {
    const ended = callApi(caller, `/api/sessions/${sessionId}/end`, { method: 'POST' });
    await bestEffort('it ends by itself without a person', ended);
    const todo = 'Let the API reach the provider; meanwhile whenDown: admit of the agent lets everybody pass.';
    return warning(check, `${provider} does not answer, and everybody is admitted.`, todo);
  }
  if (code === 'challenge_required') return ok(check, `${provider} refuses an answer that it has given to nobody.`);
  const todo =
    'Until then every page is refused: give the API the secret (challenges of the stack), and a way to the provider.';
  return failed(check, message ?? `The API answered ${answer.status}.`, todo);
}
