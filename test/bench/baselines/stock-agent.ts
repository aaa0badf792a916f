/**
 * What the framework's documentation tells people to write, with the same scripted model as ours and text only. Loaded by
 * the stock worker in each of its job processes.
 */
import { defineAgent, voice } from '@livekit/agents';
import { ScriptedLLM } from '../../../services/agent/providers/scripted/model.ts';
import type { CompiledScript } from '../../../services/agent-files/definition/compiled.ts';

// A job process whose worker was killed must not outlive the benchmark.
process.on('disconnect', () => process.exit());

export default defineAgent({
  entry: async (ctx) => {
    await ctx.connect();
    const script = JSON.parse(process.env.BENCH_SCRIPT ?? '{}') as CompiledScript;
    const session = new voice.AgentSession({
      llm: new ScriptedLLM({ script, tools: [], language: () => 'en' }),
      vad: null,
      userAwayTimeout: null,
      turnHandling: { turnDetection: null } as never,
    });
    await session.start({
      agent: new voice.Agent({ instructions: 'You repeat what you hear.' }),
      room: ctx.room,
      record: false,
      inputOptions: { audioEnabled: false },
      outputOptions: { audioEnabled: false },
    });
  },
});
