/**
 * What the framework's documentation tells people to write for a spoken agent, with the same providers as ours. Loaded by the
 * stock worker in each of its job processes.
 */
import { defineAgent, inference, voice } from '@livekit/agents';
import * as openai from '@livekit/agents-plugin-openai';

// A job process whose worker was killed must not outlive the benchmark.
process.on('disconnect', () => process.exit());

const endOfTurnMs = 400;

export default defineAgent({
  entry: async (ctx) => {
    await ctx.connect();
    const provider = { apiKey: 'fixed-delay', baseURL: process.env.BENCH_PROVIDERS_URL ?? '' };
    const session = new voice.AgentSession({
      stt: new openai.STT({ ...provider, model: 'fixed-delay', language: 'en', useRealtime: false }),
      llm: new openai.LLM({ ...provider, model: 'fixed-delay' }),
      tts: new openai.TTS({ ...provider, model: 'fixed-delay' }),
      vad: new inference.VAD({ minSilenceDuration: endOfTurnMs }),
      userAwayTimeout: null,
      // Voice detection alone ends a turn, as soon as it may: the same silence as ours.
      turnHandling: { turnDetection: 'vad', endpointing: { minDelay: 0, maxDelay: endOfTurnMs } },
    });
    await session.start({
      agent: new voice.Agent({ instructions: 'You answer in one sentence.' }),
      room: ctx.room,
      record: false,
    });
  },
});
