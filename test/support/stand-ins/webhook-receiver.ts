import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';
import type { ConversationEvent } from '../../../services/core/deliveries/payload.ts';

export interface ReceivedDelivery {
  id: string;
  headers: IncomingHttpHeaders;
  body: string;
  at: number;
}

/** What the receiver does with a delivery: a status, an answer of its own, or nothing at all (`hang`). */
export type Reaction = number | 'hang' | ((response: ServerResponse) => void);

/** A customer's server: takes deliveries, keeps them, and answers as the test wants. */
export class WebhookReceiver implements AsyncDisposable {
  readonly deliveries: ReceivedDelivery[] = [];
  reaction: Reaction | ((delivery: ReceivedDelivery) => Reaction) = 200;
  readonly #server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const delivery = {
        id: String(request.headers['webhook-id']),
        headers: request.headers,
        body: Buffer.concat(parts).toString('utf8'),
        at: Date.now(),
      };
      this.deliveries.push(delivery);
      this.#react(delivery, response);
    });
  });
  #port = 0;

  static async start(): Promise<WebhookReceiver> {
    const receiver = new WebhookReceiver();
    await receiver.open();
    return receiver;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}/hooks/parley`;
  }

  /** On the same port as before, if there was one. */
  async open(): Promise<void> {
    this.#server.listen(this.#port, '127.0.0.1');
    await once(this.#server, 'listening');
    this.#port = (this.#server.address() as AddressInfo).port;
  }

  /** Nobody listens on the port any more: connections are refused. */
  async close(): Promise<void> {
    if (!this.#server.listening) return;
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }

  /** The events of a session, each verified by the library of Standard Webhooks with the agent's secret (`sk_…`). */
  verified(apiSecret: string, sessionId?: string): ConversationEvent[] {
    const webhook = new Webhook(Buffer.from(apiSecret.slice(3), 'base64url').toString('base64'));
    return this.deliveries
      .map(({ body, headers }) => webhook.verify(body, headers as Record<string, string>) as ConversationEvent)
      .filter((event) => sessionId === undefined || event.data.sessionId === sessionId);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  #react(delivery: ReceivedDelivery, response: ServerResponse): void {
    const reaction = this.reaction;
    const chosen = isChooser(reaction) ? reaction(delivery) : reaction;
    if (chosen === 'hang') return;
    if (typeof chosen === 'number') response.writeHead(chosen).end(`answered ${chosen}`);
    else chosen(response);
  }
}

/** A function that looks at a delivery has one parameter named for it; one that answers by itself is made with `answering`. */
const isChooser = (reaction: WebhookReceiver['reaction']): reaction is (delivery: ReceivedDelivery) => Reaction =>
  typeof reaction === 'function' && !answers.has(reaction);

const answers = new WeakSet<object>();

/** An answer of one's own, such as a redirect. */
export function answering(answer: (response: ServerResponse) => void): Reaction {
  answers.add(answer);
  return answer;
}
