/** Conversations as a person has them, from the REST call to what is read and heard. */
import '../../../../services/agent/room/quiet-native-layer.ts';
import { dispose, Room } from '@livekit/rtc-node';
import { isModelUnavailable } from '../../../../services/agent-files/definition/lines.ts';
import { bestEffort } from '../../../../services/process/best-effort.ts';
import { ifLate, within } from '../../../../services/process/within.ts';
import { type Caller, callApi } from './caller.ts';
import { type Finding, failed, ok, reason, skipped } from './finding.ts';
import { checkMedia } from './media.ts';
import { checkVoice } from './voice.ts';

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

const replyDeadlineMs = 20_000;
/** An agent that greets does so as soon as it sees the person. */
const greetingWithinMs = 5_000;
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

async function call<Answer>(caller: Caller, method: string, path: string, body?: object): Promise<Answer> {
  const given = body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
  const answer = await callApi(caller, path, { method, ...given });
  const told = (await answer.json()) as Answer & { message?: string; code?: string };
  if (!answer.ok) {
    const request = answer.headers.get('x-request-id');
    const said = told.message ?? `${path} answered ${answer.status}`;
    throw new Refused(request ? `${said} (request ${request})` : said, told.code);
  }
  return told;
}

async function checkText({ wsUrl, token }: Session): Promise<Finding> {
  const room = new Room();
  try {
    const heard = new Heard(room);
    await room.connect(wsUrl, token, { autoSubscribe: true, dynacast: false });
    // One that does not greet says nothing.
    const greeted = await heard.next(greetingWithinMs).then(() => true, ifLate(false));
    const began = performance.now();
    await room.localParticipant?.sendText('Hello', { topic: 'lk.chat' });
    const words = await heard.next(replyDeadlineMs);
    return replyFinding(words, { greeted, tookMs: Math.round(performance.now() - began) });
  } catch (error) {
    const todo = `Look at the agents' log, and whether ${new URL(wsUrl).origin} is reached from here (docs/runbooks).`;
    return failed('text session', `There was no reply: ${reason(error)}.`, todo);
  } finally {
    await bestEffort('it may never have been connected', room.disconnect());
  }
}

/** The words that came for a text: those of an agent whose model answers, or an apology. */
export function replyFinding(words: string, { greeted, tookMs }: { greeted: boolean; tookMs: number }): Finding {
  if (isModelUnavailable(words)) {
    return failed(
      'text session',
      `The agent${greeted ? ' greets, but' : ''} says that it cannot answer: its model failed.`,
      'The agent hosts\' log has "a model does not answer", with the model, its address and the reason; "npm start" shows it in the terminal.',
    );
  }
  return ok('text session', `The agent spoke ${tookMs} ms after a text.`);
}

/** What the agent says, text by text as each is complete. */
class Heard {
  readonly #texts: string[] = [];
  #wake = Promise.withResolvers<void>();

  constructor(room: Room) {
    room.registerTextStreamHandler('lk.transcription', async (reader) => {
      const text = await reader.readAll();
      if (text.trim() === '') return;
      this.#texts.push(text);
      this.#wake.resolve();
    });
  }

  async next(withinMs: number): Promise<string> {
    if (this.#texts.length === 0) await within(withinMs, 'words of the agent', this.#wake.promise);
    this.#wake = Promise.withResolvers();
    return this.#texts.shift() ?? '';
  }
}

/** The room client's native part keeps the process alive otherwise. */
export const closeRoomClient = (): Promise<void> => dispose();
