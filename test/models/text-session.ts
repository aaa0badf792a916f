import { initializeLogger, type llm, voice } from '@livekit/agents';
import { keepSessionAlive, type ModelFailure, modelFailureOf } from '../../services/agent/models/failure.ts';

initializeLogger({ pretty: false, level: 'silent' });

/** What happened in a session, in the order in which a host would hear of it. */
export type Happening =
  | { failed: ModelFailure }
  | { added: string; role: string; interrupted: boolean }
  | { usage: { prompt: number; completion: number } }
  | { closed: string }
  | { done: true };

export interface TextSession extends AsyncDisposable {
  session: voice.AgentSession;
  happenings: Happening[];
  /** A whole turn, tools included; what the agent wrote. */
  turn(text: string): Promise<string>;
  failures(): ModelFailure[];
}

export interface TextSessionOptions {
  tools?: llm.ToolContextEntry[];
  connOptions?: object;
  maxToolSteps?: number;
  agent?: voice.Agent;
}

/** A real `voice.AgentSession` in text mode, without a room. */
export async function startTextSession(model: llm.LLM, options: TextSessionOptions = {}): Promise<TextSession> {
  const session = new voice.AgentSession({
    llm: model,
    vad: null,
    userAwayTimeout: null,
    turnHandling: { turnDetection: null },
    connOptions: options.connOptions ?? keepSessionAlive,
    ...(options.maxToolSteps !== undefined && { maxToolSteps: options.maxToolSteps }),
  });
  const happenings = listen(session);
  const { tools } = options;
  const agent = options.agent ?? new voice.Agent({ instructions: 'You are a test.', ...(tools && { tools }) });
  await session.start({ agent, record: false });
  return {
    session,
    happenings,
    failures: () => happenings.flatMap((happening) => ('failed' in happening ? [happening.failed] : [])),
    turn: async (text) => {
      const handle = session.generateReply({ userInput: text });
      await handle.waitForPlayout();
      happenings.push({ done: true });
      return handle.chatItems
        .flatMap((item) => (item.type === 'message' && item.role === 'assistant' ? [item.textContent ?? ''] : []))
        .join('|');
    },
    [Symbol.asyncDispose]: () => session.close(),
  };
}

function listen(session: voice.AgentSession): Happening[] {
  const happenings: Happening[] = [];
  session.on(voice.AgentSessionEventTypes.Error, (event) => {
    const failed = modelFailureOf(event);
    if (failed) happenings.push({ failed });
  });
  session.on(voice.AgentSessionEventTypes.ConversationItemAdded, ({ item }) => {
    if (item.type !== 'message') return;
    happenings.push({ added: item.textContent ?? '', role: item.role, interrupted: item.interrupted });
  });
  session.on(voice.AgentSessionEventTypes.MetricsCollected, ({ metrics }) => {
    if (metrics.type !== 'llm_metrics') return;
    happenings.push({ usage: { prompt: metrics.promptTokens, completion: metrics.completionTokens } });
  });
  session.on(voice.AgentSessionEventTypes.Close, ({ reason }) => {
    happenings.push({ closed: reason });
  });
  return happenings;
}
