import type { IncomingMessage, RequestListener } from 'node:http';
import { sendJson } from '../process/internal-server.ts';
import { type PushEventsOptions, receivePushEvent } from './push-events.ts';
import { receivePasses, type ScenarioPassesOptions } from './scenario-passes.ts';
import type { SignedRequestAnswer } from './signed-request.ts';

export interface SignedRequestsOptions {
  pushEvents: PushEventsOptions;
  scenarioPasses: ScenarioPassesOptions;
}

/** Each is read and hashed before anybody knows who has sent it: a Git host and a pipeline send one at a time. */
const mostAtOnce = 4;

const nothingHere = { status: 404, code: 'not_found', message: 'There is nothing at this address.' };
const tooMany = { status: 429, code: 'rate_limited', message: 'Others are being read: send it again in a second.' };

/**
 * `/push-events` and `/scenario-passes`, beside the probes on a port that is not public: an operator whose Git host should reach
 * it exposes these two alone.
 */
export function signedRequests({ pushEvents, scenarioPasses }: SignedRequestsOptions): RequestListener {
  const routes = new Map<string | undefined, (request: IncomingMessage) => Promise<SignedRequestAnswer>>([
    ['/push-events', (request) => receivePushEvent(request, pushEvents)],
    ['/scenario-passes', (request) => receivePasses(request, scenarioPasses)],
  ]);
  let underWay = 0;
  const answer = async (request: IncomingMessage): Promise<SignedRequestAnswer> => {
    const receive = routes.get(request.url);
    if (!receive) return nothingHere;
    if (underWay >= mostAtOnce) return tooMany;
    underWay += 1;
    return receive(request).finally(() => {
      underWay -= 1;
    });
  };
  return async (request, response) => {
    const { status, ...body } = await answer(request);
    // A body that was not read to its end would be taken for the next request.
    if (!request.complete) response.setHeader('connection', 'close');
    if (status === 429) response.setHeader('retry-after', '1');
    if (status === 405) response.setHeader('allow', 'POST');
    sendJson(response, status, body);
  };
}
