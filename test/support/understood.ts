import { initializeLogger } from '@livekit/agents';
import { AudioFrame } from '@livekit/rtc-node';
import { openLocalEngines, openSpeech } from '../../services/agent/providers/speech/speech.ts';
import { makeLogger } from '../../services/core/logger.ts';
import { compiledAgent } from './compiled-agent.ts';
import { microphoneRate } from './speech-sound.ts';

/** Somebody who knows a few sentences of each language, and hears which of them was said. */
export interface Listener extends AsyncDisposable {
  understands(sound: Int16Array, language: string): Promise<string>;
}

/** A person of the test's own for what the agent says: pocketsphinx, with a grammar of these sentences by language. */
export function openListener(
  variables: Record<string, string>,
  sentences: Readonly<Record<string, readonly string[]>>,
): Listener {
  initializeLogger({ pretty: false, level: 'silent' });
  const env = { ...process.env, ...variables };
  const logger = makeLogger({ service: 'test', level: 'silent' });
  const engines = openLocalEngines({ env, logger });
  const lines = { modelUnavailable: '…', tooManyMessages: '…', limitReached: '…' };
  const definition = (language: string) =>
    compiledAgent({
      definition: {
        languages: [{ code: language, name: language, voices: [], lines }],
        script: {
          rules: (sentences[language] ?? []).map((sentence) => ({
            when: [`^${sentence}$`],
            needs: [],
            say: { [language]: '…' },
            failed: {},
            end: false,
          })),
          fallback: { [language]: '…' },
        },
      },
    });
  return {
    async understands(sound, language) {
      const speech = await openSpeech(definition(language), { language, voice: undefined }, { env, logger, engines });
      try {
        const { alternatives } = await speech.stt.recognize(new AudioFrame(sound, microphoneRate, 1, sound.length));
        return alternatives?.[0].text ?? '';
      } finally {
        await speech.close();
      }
    },
    [Symbol.asyncDispose]: () => engines.close(),
  };
}
