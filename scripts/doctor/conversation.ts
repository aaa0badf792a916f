/** A text conversation as a person has it, from the REST call to the reply. */
import '../../services/agent/room/quiet-native-layer.ts';
import { dispose, Room } from '@livekit/rtc-node';
import { type Finding, failed, ok, reason } from './finding.ts';
import { checkMedia } from './media.ts';

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

const callDeadlineMs = 15_000;
const replyDeadlineMs = 20_000;

/** Opens a session, talks, looks at the way of the media, and ends the session whatever happened. */
export async function checkConversation(caller: Caller): Promise<Finding[]> {
  let session: Session;
  try {
    session = await call<Session>(caller, 'POST', '/api/sessions', { interactionMode: 'TEXT' });
  } catch (error) {
    const todo =
      'The message says why: a key of this installation, room in an agent host, and a room server are needed.';
    return [failed('text session', `It can't be created: ${reason(error)}`, todo)];
  }
  try {
    return [await checkText(session), ...(await checkMedia(session))];
  } finally {
    await call(caller, 'POST', `/api/sessions/${session.sessionId}/end`).catch(() => undefined);
  }
}

async function call<Answer>({ url, key }: Caller, method: string, path: string, body?: object): Promise<Answer> {
  const answer = await fetch(`${url}${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, ...(body ? { 'content-type': 'application/json' } : {}) },
    ...(body ? { body: JSON.stringify(body) } : {}),
    signal: AbortSignal.timeout(callDeadlineMs),
  });
  const told = (await answer.json()) as Answer & { message?: string };
  if (!answer.ok) throw new Error(told.message ?? `${path} answered ${answer.status}`);
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
    await room.disconnect().catch(() => undefined);
  }
}

function firstWords(room: Room): Promise<void> {
  return new Promise((resolve, reject) => {
    const late = setTimeout(() => reject(new Error(`nothing within ${replyDeadlineMs / 1_000} s`)), replyDeadlineMs);
    room.registerTextStreamHandler('lk.transcription', async (reader) => {
      for await (const words of reader) {
        if (words.trim() === '') continue;
        clearTimeout(late);
        return resolve();
      }
    });
  });
}

/** The room client's native part keeps the process alive otherwise. */
export const closeRoomClient = (): Promise<void> => dispose();
