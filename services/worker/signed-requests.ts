import type { RequestListener } from 'node:http';
import { sendJson } from '../process/internal-server.ts';
import { type PushEventsOptions, receivePushEvent } from './push-events.ts';
import { receivePasses, type ScenarioPassesOptions } from './scenario-passes.ts';

export interface SignedRequestsOptions {
  pushEvents: PushEventsOptions;
  scenarioPasses: ScenarioPassesOptions;
}

/**
 * `/push-events` and `/scenario-passes`, beside the probes on a port that is not public: an operator whose Git host should reach
 * it exposes these two alone.
 */
export function signedRequests({ pushEvents, scenarioPasses }: SignedRequestsOptions): RequestListener {
  return async (request, response) => {
    const { status, ...body } = await (request.url === '/push-events'
      ? receivePushEvent(request, pushEvents)
      : request.url === '/scenario-passes'
        ? receivePasses(request, scenarioPasses)
        : { status: 404, code: 'not_found', message: 'There is nothing at this address.' });
    // A body that was not read to its end would be taken for the next request.
    if (!request.complete) response.setHeader('connection', 'close');
    if (status === 405) response.setHeader('allow', 'POST');
    sendJson(response, status, body);
  };
}
