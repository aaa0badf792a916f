import { initializeLogger } from '@livekit/agents';
import { modelsFor } from '../../../scripts/toolchain/natural-speech.ts';
import { fetchSpeech, modelsFile } from '../../../scripts/toolchain/speech-models.ts';
import { flite, installPrograms } from '../../../scripts/toolchain/system.ts';
import { findAbilities, openLocalEngines, openSpeech, type Speech } from '../../../services/agent/speech/speech.ts';
import type { CompiledAgent } from '../../../services/agent-files/definition/compiled.ts';
import { loadAgents } from '../../../services/agent-files/load.ts';
import { makeLogger } from '../../../services/process/logger.ts';
import { settings } from '../../../services/settings/settings.ts';
import { joined, microphoneRate, resampled } from '../../support/people/speech-sound.ts';
import { localSpeechVariables } from '../../support/world/local-speech.ts';

export interface BenchEngines {
  natural: Speech;
  /** What there was before Whisper: the phrases of the restaurant. */
  grammar: Speech;
  /** The natural ones for one more conversation, to be closed by whoever opens them. */
  openNatural(): Promise<Speech>;
  close(): Promise<void>;
}

/** The engines of this machine as the restaurant has them, and what makes the voices of the half that is reported. */
export async function openBenchEngines(say: (line: string) => void): Promise<BenchEngines> {
  initializeLogger({ pretty: false, level: 'silent' });
  const logger = makeLogger({ service: 'bench', level: 'silent' });
  const { agents } = await loadAgents('agents');
  const [restaurant] = agents.map(({ agent }) => agent);
  if (!restaurant) throw new Error('the restaurant is gone');
  await fetchSpeech(modelsFor([restaurant]), { progress: say });
  await installPrograms([flite], 'The voices of the half that is reported need', say);
  const env = {
    ...process.env,
    ...(await localSpeechVariables()),
    [settings.speech.settings.models.name]: modelsFile(),
  };
  const engines = openLocalEngines({ env, logger });
  const abilities = await findAbilities(env, engines);
  const open = (engine: 'dictation' | 'grammar') =>
    openSpeech(by(restaurant, engine), { language: 'en', voice: undefined }, { env, logger, engines, abilities });
  const [natural, grammar] = await Promise.all([open('dictation'), open('grammar')]);
  const close = async () => {
    await Promise.all([natural.close(), grammar.close()]);
    await engines.close();
  };
  return { natural, grammar, openNatural: () => open('dictation'), close };
}

const by = (agent: CompiledAgent, engine: 'dictation' | 'grammar'): CompiledAgent => {
  if (!agent.speech) throw new Error('the agent was compiled long ago');
  return { ...agent, speech: { ...agent.speech, recognition: [{ provider: 'local', keywords: [], engine }] } };
};

/** Said by the voice of these engines; `onFirstSound` is told after how many milliseconds it came. */
export async function saidBy(
  { tts }: Speech,
  text: string,
  onFirstSound: (ms: number) => void = () => undefined,
): Promise<Int16Array> {
  const began = performance.now();
  const stream = tts.stream();
  stream.pushText(text);
  stream.endInput();
  const frames: Int16Array[] = [];
  for await (const audio of stream) {
    if (typeof audio === 'symbol') continue;
    if (frames.length === 0) onFirstSound(performance.now() - began);
    frames.push(audio.frame.data);
  }
  return resampled(joined(...frames), tts.sampleRate, microphoneRate);
}
