/**
 * A local server that speaks the chat-completions protocol: streamed deltas as server-sent events, tool calls in
 * fragments, a usage chunk, whole completions for `stream: false`, and the ways in which real ones fail. It checks what
 * the real one checks (credentials, the message list, tool results that answer a call), so a client that gets the
 * protocol wrong hears of it here.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

export interface ChatMessage {
  role: string;
  content?: unknown;
  tool_calls?: { id: string; type: 'function'; function: { name: string; arguments: string } }[];
  tool_call_id?: string;
}

export interface ChatRequest {
  /** 1 for the first completion asked of this server. */
  number: number;
  headers: Record<string, string | string[] | undefined>;
  body: {
    model: string;
    messages: ChatMessage[];
    stream?: boolean;
    tools?: { function: { name: string; parameters: unknown } }[];
    response_format?: { type: string };
    [option: string]: unknown;
  };
  /** Aborted when the client went away before it had its answer. */
  gone: AbortSignal;
  /** The answer was sent to its end. */
  answered: boolean;
}

export interface ToolCallReply {
  name: string;
  /** An object, or the raw text for arguments that are no JSON. */
  arguments: Record<string, unknown> | string;
  id?: string;
}

/** What the model says. A whole answer unless one of the faults is named; `after` counts words already sent. */
export interface Completion {
  text?: string;
  toolCalls?: ToolCallReply[];
  finishReason?: 'stop' | 'length' | 'content_filter';
  firstTokenDelayMs?: number;
  chunkDelayMs?: number;
  stall?: { after: number };
  /** The connection is reset. */
  drop?: { after: number };
  malformed?: { after: number };
  /** The provider reports a fault in the middle of its stream. */
  errorEvent?: { after: number };
  /** The stream ends in good order, but before the model had finished. */
  cutOff?: { after: number };
  /** Tool calls without ids, each whole and all in one delta, as some compatible servers send them. */
  plainToolCalls?: boolean;
  /** So many pieces of reasoning come before the first word, as `reasoning_content`. */
  thoughts?: number;
  /** How often the finish reason is sent; once, if it is not said. */
  finishes?: number;
  usage?: 'missing';
  /** Chunks without choices at the beginning and without a delta at the end, as Azure's filter sends them. */
  filterChunks?: boolean;
  /** Later pieces of a call repeat its id and name as empty texts. */
  emptyIds?: boolean;
  /** What comes after the finish reason; all, if it is not said. `nothing`: neither usage nor an end, and the connection stays. */
  afterEnd?: 'nothing';
}

export type Reply =
  | Completion
  | { status: number; retryAfter?: string; location?: string; code?: string; message?: string; html?: boolean }
  /** The connection is reset before an answer. */
  | { reset: true };

export interface OpenAIServer extends AsyncDisposable {
  /** Ends in `/v1`. */
  baseUrl: string;
  requests: ChatRequest[];
  /** Decides the answer to each completion from now on. */
  reply(fn: (request: ChatRequest) => Reply | Promise<Reply>): void;
  close(): Promise<void>;
}

/** Starts the server on a free port of the loopback address. With `apiKey`, other keys are answered 401. */
export async function startOpenAIServer(options: { apiKey?: string } = {}): Promise<OpenAIServer> {
  const sockets = new Set<Socket>();
  const requests: ChatRequest[] = [];
  let decide: (request: ChatRequest) => Reply | Promise<Reply> = () => ({ text: 'Hello from the test model.' });

  const server = createServer((req, res) => {
    answer(req, res).catch(() => res.destroy());
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });

  async function answer(req: IncomingMessage, res: ServerResponse): Promise<void> {
    if (options.apiKey !== undefined && req.headers.authorization !== `Bearer ${options.apiKey}`)
      return sendError(res, { status: 401, code: 'invalid_api_key', message: 'Incorrect API key provided.' });
    if (req.method === 'GET' && req.url === '/v1/models') return sendJson(res, 200, { object: 'list', data: [] });
    if (req.method !== 'POST' || req.url !== '/v1/chat/completions')
      return sendError(res, { status: 404, message: `Unknown request URL: ${req.method} ${req.url}` });

    const body = JSON.parse(await readText(req));
    const wrong = faultOf(body);
    if (wrong) return sendError(res, { status: 400, code: 'invalid_request_error', message: wrong });
    const asked = { number: requests.length + 1, headers: req.headers, body, gone: goneSignal(res) };
    const request: ChatRequest = { ...asked, answered: false };
    requests.push(request);
    await send(res, request, await decide(request));
    request.answered = true;
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  };
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    requests,
    reply: (fn) => {
      decide = fn;
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

async function readText(req: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of req) parts.push(part as Buffer);
  return Buffer.concat(parts).toString('utf8');
}

function goneSignal(res: ServerResponse): AbortSignal {
  const controller = new AbortController();
  res.on('close', () => {
    if (!res.writableFinished) controller.abort();
  });
  return controller.signal;
}

/** What the real service refuses with 400. */
function faultOf(body: ChatRequest['body']): string | undefined {
  if (typeof body.model !== 'string' || body.model === '') return 'you must provide a model parameter';
  if (!Array.isArray(body.messages) || body.messages.length === 0) return "[] is too short - 'messages'";
  if (body.max_tokens !== undefined && body.max_completion_tokens !== undefined)
    return 'max_tokens and max_completion_tokens cannot both be set';
  const open = new Set<string>();
  for (const message of body.messages) {
    if (message.role === 'tool') {
      if (!open.delete(message.tool_call_id ?? ''))
        return "messages with role 'tool' must be a response to a preceding message with 'tool_calls'";
      continue;
    }
    if (open.size > 0) return "an assistant message with 'tool_calls' must be followed by tool messages";
    for (const call of message.tool_calls ?? []) open.add(call.id);
  }
  return open.size > 0 ? "an assistant message with 'tool_calls' must be followed by tool messages" : undefined;
}

function sendJson(res: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}): void {
  res.writeHead(status, { 'content-type': 'application/json', 'x-request-id': 'req_test', ...headers });
  res.end(JSON.stringify(body));
}

function sendError(
  res: ServerResponse,
  reply: { status: number; retryAfter?: string; location?: string; code?: string; message?: string; html?: boolean },
): void {
  const { retryAfter, location } = reply;
  const headers = { ...(retryAfter && { 'retry-after': retryAfter }), ...(location && { location }) };
  if (reply.html) {
    res.writeHead(reply.status, { 'content-type': 'text/html', ...headers });
    res.end('<html><body><h1>Bad Gateway</h1></body></html>');
    return;
  }
  const message = reply.message ?? `The server answered ${reply.status}.`;
  sendJson(res, reply.status, { error: { message, type: 'error', param: null, code: reply.code ?? null } }, headers);
}

async function send(res: ServerResponse, request: ChatRequest, reply: Reply): Promise<void> {
  if ('reset' in reply) {
    res.socket?.resetAndDestroy();
    return;
  }
  if ('status' in reply) return sendError(res, reply);
  if (request.body.stream) return stream(res, request, reply);
  return sendJson(res, 200, {
    ...envelope(request, 'chat.completion'),
    choices: [{ index: 0, finish_reason: finishReason(reply), message: wholeMessage(reply) }],
    usage: usageOf(request, reply),
  });
}

const envelope = (request: ChatRequest, object: string) => ({
  id: `chatcmpl-${request.number}`,
  object,
  created: 1_790_000_000,
  model: request.body.model,
});

const finishReason = (reply: Completion) => reply.finishReason ?? (reply.toolCalls?.length ? 'tool_calls' : 'stop');

const callId = (request: { number: number }, index: number, call: ToolCallReply) =>
  call.id ?? `call_${request.number}_${index}`;

const rawArguments = (call: ToolCallReply) =>
  typeof call.arguments === 'string' ? call.arguments : JSON.stringify(call.arguments);

const wholeMessage = (reply: Completion) => ({
  role: 'assistant',
  content: reply.text ?? null,
  ...(reply.toolCalls && {
    tool_calls: reply.toolCalls.map((call, index) => ({
      id: callId({ number: 0 }, index, call),
      type: 'function',
      function: { name: call.name, arguments: rawArguments(call) },
    })),
  }),
});

function usageOf(request: ChatRequest, reply: Completion) {
  const prompt = Math.ceil(JSON.stringify(request.body.messages).length / 4);
  const completion = Math.ceil(JSON.stringify(wholeMessage(reply)).length / 4);
  return { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion };
}

async function stream(res: ServerResponse, request: ChatRequest, reply: Completion): Promise<void> {
  res.on('error', () => {});
  res.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
  res.flushHeaders();
  const event = (data: unknown) => res.write(`data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`);
  const chunk = (delta: unknown, finish: string | null = null) =>
    event({
      ...envelope(request, 'chat.completion.chunk'),
      choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }],
    });

  if (reply.firstTokenDelayMs) await pause(reply.firstTokenDelayMs, request.gone);
  if (reply.filterChunks) event({ id: '', object: '', created: 0, model: '', choices: [], prompt_filter_results: [] });
  chunk({ role: 'assistant', content: '' });
  for (const [index, delta] of deltas(request, reply).entries()) {
    if (request.gone.aborted || (await faultAt(index))) return;
    chunk(delta);
    if (reply.chunkDelayMs) await pause(reply.chunkDelayMs, request.gone);
  }
  if (request.gone.aborted || (await faultAt(Number.POSITIVE_INFINITY))) return;
  for (let finish = 0; finish < (reply.finishes ?? 1); finish += 1) chunk({}, finishReason(reply));
  if (reply.filterChunks)
    event({ id: '', object: '', created: 0, model: '', choices: [{ index: 0, finish_reason: null }] });
  if (reply.afterEnd === 'nothing') return gone(request);
  if (reply.usage !== 'missing')
    event({ ...envelope(request, 'chat.completion.chunk'), choices: [], usage: usageOf(request, reply) });
  event('[DONE]');
  res.end();

  /** Does what was asked for at this place of the stream; true when nothing follows. */
  async function faultAt(index: number): Promise<boolean> {
    const due = (fault?: { after: number }) => fault !== undefined && index >= fault.after;
    if (due(reply.stall)) {
      await gone(request);
      return true;
    }
    if (due(reply.drop)) {
      // What was written must reach the client first: the fault is a loss in the middle, not before the start.
      await pause(20, request.gone);
      res.socket?.resetAndDestroy();
      return true;
    }
    if (due(reply.malformed)) event('{"id":"chatcmpl-1","choices":[{"index":0,"del');
    else if (due(reply.errorEvent)) event({ error: { message: 'The engine is overloaded.', type: 'server_error' } });
    else if (!due(reply.cutOff)) return false;
    res.end();
    return true;
  }
}

const gone = (request: ChatRequest) =>
  new Promise<void>((resolve) => request.gone.addEventListener('abort', () => resolve(), { once: true }));

function deltas(request: ChatRequest, reply: Completion): unknown[] {
  const words = (reply.text ?? '').match(/\S+\s*|\s+/g) ?? [];
  const calls = reply.toolCalls ?? [];
  const thoughts = Array.from({ length: reply.thoughts ?? 0 }, () => ({ content: '', reasoning_content: 'Hmm. ' }));
  if (reply.plainToolCalls) {
    const plain = calls.map((call) => ({
      type: 'function',
      function: { name: call.name, arguments: rawArguments(call) },
    }));
    return [...thoughts, ...words.map((content) => ({ content })), { tool_calls: plain }];
  }
  return [
    ...thoughts,
    ...words.map((content) => ({ content })),
    ...calls.flatMap((call, index) => callDeltas(request, call, { index, emptyIds: reply.emptyIds ?? false })),
  ];
}

/** A call's head with its name, then its arguments in pieces that respect no boundary of JSON. */
function callDeltas(
  request: ChatRequest,
  call: ToolCallReply,
  { index, emptyIds }: { index: number; emptyIds: boolean },
): unknown[] {
  const again = emptyIds ? { id: '', type: 'function' } : {};
  const head = {
    index,
    id: callId(request, index, call),
    type: 'function',
    function: { name: call.name, arguments: '' },
  };
  const pieces = rawArguments(call).match(/[\s\S]{1,5}/g) ?? [];
  return [
    head,
    ...pieces.map((piece) => ({ index, ...again, function: { ...(emptyIds && { name: '' }), arguments: piece } })),
  ].map((part) => ({
    tool_calls: [part],
  }));
}

/** A pause of the server's own (its slowness is what is being played), over at once when the client left. */
const pause = (ms: number, gone: AbortSignal) => delay(ms, undefined, { signal: gone }).catch(() => {});
