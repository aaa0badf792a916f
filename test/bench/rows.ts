import type { Row } from './row.ts';
import { agentInRoom } from './rows/agent-in-room.ts';
import { agentsActivate } from './rows/agents-activate.ts';
import { agentsValidate } from './rows/agents-validate.ts';
import { firstTexts } from './rows/first-texts.ts';
import { growth } from './rows/growth.ts';
import { history } from './rows/history.ts';
import { mergeToLive } from './rows/merge-to-live.ts';
import { retention } from './rows/retention.ts';
import { scenarios } from './rows/scenarios.ts';
import { sessionCreation } from './rows/session-creation.ts';
import { speech } from './rows/speech.ts';
import { speechLoad } from './rows/speech-load.ts';
import { speechTurns } from './rows/speech-turns.ts';
import { start } from './rows/start.ts';
import { telephone } from './rows/telephone.ts';
import { textLatency } from './rows/text-latency.ts';
import { textMemory } from './rows/text-memory.ts';
import { textSessions } from './rows/text-sessions.ts';
import { textTakeover } from './rows/text-takeover.ts';
import { visitorAttack } from './rows/visitor-attack.ts';
import { voiceBargeIn } from './rows/voice-barge-in.ts';
import { voiceCalls } from './rows/voice-calls.ts';
import { voiceDensity } from './rows/voice-density.ts';
import { voiceLatency } from './rows/voice-latency.ts';
import { voiceRamp } from './rows/voice-ramp.ts';
import { voiceTakeover } from './rows/voice-takeover.ts';
import { widget } from './rows/widget.ts';
import { widgetFirstReply } from './rows/widget-first-reply.ts';
import { widgetOpenHour } from './rows/widget-open-hour.ts';

/** In the order in which they run and are shown. */
export const rows: readonly Row[] = [
  sessionCreation,
  growth,
  history,
  retention,
  agentInRoom,
  firstTexts,
  textLatency,
  textMemory,
  textSessions,
  textTakeover,
  visitorAttack,
  voiceDensity,
  voiceLatency,
  voiceBargeIn,
  voiceTakeover,
  voiceRamp,
  voiceCalls,
  telephone,
  speech,
  speechTurns,
  speechLoad,
  start,
  agentsValidate,
  agentsActivate,
  scenarios,
  mergeToLive,
  widget,
  widgetFirstReply,
  widgetOpenHour,
];
