/** Conversations as a person has them, from the REST call to what is read and heard. */
import '../../../../services/agent/room/quiet-native-layer.ts';
import { dispose, Room } from '@livekit/rtc-node';
import { bestEffort } from '../../../../services/process/best-effort.ts';
import { within } from '../../../../services/process/within.ts';
import { type Finding, failed, ok, reason, skipped } from './finding.ts';
import { checkMedia } from './media.ts';
import { checkVoice } from './voice.ts';

export interface Caller {
  url: string;
  /** Of any agent: `pk_…`. */
  key: string;
}

interface Session {
  sessionId: string;
  wsUrl: string;
  token: string;
}

/** What the API refuses, with its code. */
class Refused extends Error {
  readonly code: string | undefined;
  constructor(message: string, code: string | undefined) {
    super(message);
    this.code = code;
  }
}

const callDeadlineMs = 15_000;
const replyDeadlineMs = 20_000;
const sessionTodo =
  'The message says why: a key of this installation, room in an agent host, and a room server are needed.';

/** Writes in one session and listens in another, looks at the way of the media, and ends both whatever happened. */
export async function checkConversation(caller: Caller): Promise<Finding[]> {
  return [...(await writtenFindings(caller)), ...(await spokenFindings(caller))];
}

async function writtenFindings(caller: Caller): Promise<Finding[]> {
  try {
    return await withSession(caller, 'TEXT', async (session) => [
      await checkText(session),
      ...(await checkMedia(session)),
    ]);
  } catch (error) {
    return [failed('text session', `It can't be created: ${reason(error)}`, sessionTodo)];
  }
}

async function spokenFindings(caller: Caller): Promise<Finding[]> {
  try {
    return await withSession(caller, 'VOICE', checkVoice);
  } catch (error) {
    if (error instanceof Refused && error.code === 'voice_unavailable')
      return [skipped('voice', 'No host can speak as this agent: for a spoken session give a key of one that it can.')];
    return [failed('voice', `A spoken session can't be created: ${reason(error)}`, sessionTodo)];
  }
}

async function withSession<Result>(
  caller: Caller,
  interactionMode: 'TEXT' | 'VOICE',
  work: (session: Session) => Promise<Result>,
): Promise<Result> {
  const session = await call<Session>(caller, 'POST', '/api/sessions', { interactionMode });
  try {
    return await work(session);
  } finally {
    const ended = call(caller, 'POST', `/api/sessions/${session.sessionId}/end`);
    await bestEffort('the session ends by itself without a person', ended);
  }
}

async function call<Answer>({ url, key }: Caller, method: string, path: string, body?: object): Promise<Answer> {
  const answer = await fetch(`${url}${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, ...(body ? { 'content-type': 'application/json' } : {}) },
    ...(body ? { body: JSON.stringify(body) } : {}),
    signal: AbortSignal.timeout(callDeadlineMs),
  });
  const told = (await answer.json()) as Answer & { message?: string; code?: string };
  if (!answer.ok) throw new Refused(told.message ?? `${path} answered ${answer.status}`, told.code);
  return told;
}

async function checkText({ wsUrl, token }: Session): Promise<Finding> {
  const room = new Room();
  try {
    await room.connect(wsUrl, token, { autoSubscribe: true, dynacast: false });
    // A greeting would come first; any words of the agent show that it is there and hears.
    const began = performance.now();
    const reply = firstWords(room);
    await room.localParticipant?.sendText('Hello', { topic: 'lk.chat' });
    await reply;
    return ok('text session', `The agent spoke ${Math.round(performance.now() - began)} ms after a text.`);
  } catch (error) {
    const todo = `Look at the agents' log, and whether ${new URL(wsUrl).origin} is reached from here (docs/runbooks).`;
    return failed('text session', `There was no reply: ${reason(error)}.`, todo);
  } finally {
    await bestEffort('it may never have been connected', room.disconnect());
  }
}

function firstWords(room: Room): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  room.registerTextStreamHandler('lk.transcription', async (reader) => {
    for await (const words of reader) if (words.trim() !== '') return resolve();
  });
  return within(replyDeadlineMs, 'the first words', promise);
}

/** The room client's native part keeps the process alive otherwise. */
export const closeRoomClient = (): Promise<void> => dispose();
