import { ApiProblem } from '../../client/request.ts';
import { sleep } from '../../client/sleep.ts';
import { makeEventReader } from './event-stream.ts';

export interface Followed<Events> {
  /** Opens the stream, from after `lastId`. @throws ApiProblem */
  open(lastId: string | undefined, signal: AbortSignal): Promise<Response>;
  /** @returns whether the stream is over */
  hear<Name extends keyof Events & string>(event: Name, data: Events[Name]): boolean;
  /** Whether it is heard at the moment. */
  connected(is: boolean): void;
  signal: AbortSignal;
}

const firstPauseMs = 500;
const longestPauseMs = 15_000;

/** Hears a stream of events until it is over, refused for good, or no longer wanted; after a break it goes on where it was. */
export async function follow<Events>({ open, hear, connected, signal }: Followed<Events>): Promise<void> {
  const reader = makeEventReader();
  let pauseMs = firstPauseMs;
  while (!signal.aborted) {
    try {
      const response = await open(reader.lastId, signal);
      connected(true);
      pauseMs = firstPauseMs;
      if (await heardOut(response, reader, hear)) return;
    } catch (error) {
      if (signal.aborted || isFinal(error)) return;
    }
    reader.broke();
    connected(false);
    await sleep(pauseMs, signal);
    pauseMs = Math.min(pauseMs * 2, longestPauseMs);
  }
}

async function heardOut<Events>(
  response: Response,
  reader: ReturnType<typeof makeEventReader>,
  hear: Followed<Events>['hear'],
): Promise<boolean> {
  const decoder = new TextDecoder();
  for await (const chunk of response.body ?? []) {
    for (const { event, data } of reader.take(decoder.decode(chunk, { stream: true })))
      if (hear(event as keyof Events & string, JSON.parse(data))) return true;
  }
  return false;
}

/** What is not there, or not for this person, does not come by asking again. */
const isFinal = (error: unknown): boolean =>
  error instanceof ApiProblem && error.status >= 400 && error.status < 500 && error.status !== 429;
