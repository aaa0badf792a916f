import { bestEffort } from '../../services/process/best-effort.ts';
import { sleepOrStop } from '../../services/process/sleep.ts';
import type { ModelServer } from './model-server.ts';

/** Weights of some gigabytes come from a disk; nobody waits for them. */
const loadedWithinMs = 5 * 60_000;
const patience = { toldAfterMs: 2_000, againAfterMs: 1_000 };

interface Waking extends Partial<typeof patience> {
  signal: AbortSignal;
  say(line: string): void;
}

/**
 * Has the server load the model before anybody talks to it: Ollama loads one with the first question, which takes longer than an
 * answer may, and llama.cpp refuses questions by 503 while it loads. Never throws; says when it takes a while, and how it ended.
 */
export async function wakeModel(
  { server, baseUrl, model }: ModelServer,
  { signal, say, ...times }: Waking,
): Promise<void> {
  const { toldAfterMs, againAfterMs } = { ...patience, ...times };
  const until = AbortSignal.any([signal, AbortSignal.timeout(loadedWithinMs)]);
  let told = false;
  const timer = setTimeout(() => {
    told = true;
    say(`${server} is loading ${model}; until it is ready agents that name no model are answered by their script.`);
  }, toldAfterMs);
  const failure = await firstAnswer({ url: `${baseUrl}/chat/completions`, model, againAfterMs }, until);
  clearTimeout(timer);
  if (signal.aborted) return;
  if (failure !== undefined)
    say(`${server} does not answer with ${model} (${failure}); agents are answered by their script.`);
  else if (told) say(`${model} is ready.`);
}

/** Undefined once it has answered; else what kept it from that. */
async function firstAnswer(
  { url, model, againAfterMs }: { url: string; model: string; againAfterMs: number },
  until: AbortSignal,
): Promise<string | undefined> {
  const body = JSON.stringify({ model, messages: [{ role: 'user', content: 'Hi' }], max_tokens: 1 });
  const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body, signal: until };
  for (;;) {
    const answer = await fetch(url, { ...init, redirect: 'error' }).catch((error: Error) => error);
    if (answer instanceof Error) return until.aborted ? 'not loaded in time' : answer.message;
    const words = (await bestEffort('what it says is for the message alone', answer.text())) ?? '';
    if (answer.ok) return undefined;
    if (answer.status !== 503) return `${answer.status} ${words.replace(/\s+/gu, ' ').slice(0, 160)}`.trim();
    await sleepOrStop(againAfterMs, until);
  }
}
