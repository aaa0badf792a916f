import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onPath } from '../../services/agent/providers/local/on-path.ts';
import type { Values } from '../../services/settings/settings.ts';
import type { commands as callers } from './clients/callers.ts';
import type { commands as providers } from './providers/fixed-delay.ts';
import { type Remote, startRemote } from './remote.ts';
import { type BenchWorld, type BenchWorldOptions, startBenchWorld } from './world.ts';

export type Callers = Remote<typeof callers>;

export interface VoiceWorld extends BenchWorld {
  providers: Remote<typeof providers>;
  providersUrl: string;
  startVoiceHost(settings?: Values): ReturnType<BenchWorld['startHost']>;
}

export const startCallers = (): Promise<Callers> => startRemote(new URL('./clients/callers.ts', import.meta.url));

/** The world with an agent that speaks, whose providers take fixed times and whose every answer is `reply`. */
export async function startVoiceWorld({
  reply,
  ...options
}: { reply: string } & Pick<BenchWorldOptions, 'redis'>): Promise<VoiceWorld> {
  const remote = await startRemote<typeof providers>(new URL('./providers/fixed-delay.ts', import.meta.url));
  const { baseUrl } = await remote.call('listen', { reply });
  const agentsFolder = await mkdtemp(join(tmpdir(), 'parley-bench-agents-'));
  await writeFile(join(agentsFolder, 'bench.yaml'), agent(baseUrl));
  const world = await startBenchWorld({ agentsFolder, ...options });
  return {
    ...world,
    providers: remote,
    providersUrl: baseUrl,
    startVoiceHost: (settings = {}) =>
      world.startHost({ ...ofProviders(baseUrl), ...settings }, { [benchKey]: 'fixed-delay' }),
    [Symbol.asyncDispose]: async () => {
      await world[Symbol.asyncDispose]();
      await remote[Symbol.asyncDispose]();
      await rm(agentsFolder, { recursive: true, force: true });
    },
  };
}

/** Why spoken rows cannot run here. */
export const noCallers = async (): Promise<string | undefined> =>
  onPath('espeak-ng', process.env) ? undefined : 'espeak-ng, which speaks for the callers, is not installed';

const benchKey = 'BENCH_KEY';

/** What lets agents name servers of this machine, as in production. */
const ofProviders = (baseUrl: string): Values => ({
  agentVariables: [benchKey],
  providerHosts: [new URL(baseUrl).host],
});

const agent = (baseUrl: string) => `
name: Bench
prompt: You answer in one sentence.
languages:
  - code: en
    name: English
    voices: [{ id: eva, name: Eva, default: true, model: alloy }]
interactionMode: VOICE
model: { provider: openai, name: fixed-delay, baseUrl: '${baseUrl}' }
speech:
  recognition: [{ provider: openai, model: fixed-delay, baseUrl: '${baseUrl}', apiKey: { env: ${benchKey} } }]
  synthesis: [{ provider: openai, model: fixed-delay, baseUrl: '${baseUrl}', apiKey: { env: ${benchKey} } }]
  endpointing: { minSilence: ${endpointingMs}ms }
limits:
  reconnectGrace: 5s
  turns: 5000
  tokens: 20000000
  tokensPerDay: 10000000000
  textsPerMinute: 600
  concurrentSessions: 100000
  unjoinedSessions: 10000
  requestsPerMinute: 100000
  fleetShare: 100
  unsigned: { sessions: 100000, spokenSessions: 100000, minutesPerDay: 2000000, toolCallsPerDay: 100000000 }
`;

/** The silence that ends a turn, the same for every baseline. */
export const endpointingMs = 400;
