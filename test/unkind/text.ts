/**
 * Written conversations with a model that has every manner of the real ones (test/support/stand-ins/manners/model.ts). Half
 * of the agents have a second model, which is kind.
 */
import { isDeepStrictEqual } from 'node:util';
import pLimit from 'p-limit';
import { storedLines } from '../proofs/proof-world.ts';
import { eventually } from '../support/eventually.ts';
import { type HeardReply, Person } from '../support/people/person.ts';
import { Deck } from '../support/stand-ins/manners/deck.ts';
import { type ModelManner, modelManners } from '../support/stand-ins/manners/model.ts';
import { obey, order, textOf } from '../support/stand-ins/obedient-model.ts';
import { type ChatRequest, type OpenAIServer, startOpenAIServer } from '../support/stand-ins/openai-server.ts';
import { startToolServer, type ToolServer } from '../support/stand-ins/tool-server.ts';
import { addAgents, openaiModel } from '../support/world/agent-files.ts';
import { startWorld, type World } from '../support/world/world.ts';
import type { UnkindFault } from './fault.ts';

export interface UnkindPlan {
  conversations: number;
  seed: number;
  atOnce: number;
  /** The person reads something at least this soon, and after it, too, until they were told that the agent is at it. */
  mostSilentMs: number;
  /** Of the models, as an agent's file has it; undefined: what it is where the file says nothing. */
  timeout: string | undefined;
}

export interface UnkindResult {
  seed: number;
  conversations: number;
  texts: number;
  /** How often the stand-in had each manner. */
  manners: Record<string, number>;
  /** Texts that were answered whole, and those to which the service said that the model is unavailable. */
  answered: number;
  unavailable: number;
  toolRuns: number;
  longestSilenceMs: number;
  /** Texts whose answer took so long that the person was told so. */
  fillers: number;
  /** From a text to the end of what was said to it. */
  longestAnswerMs: number;
  faults: UnkindFault[];
}

const line = 'The model is away.';
const filler = 'I am at it.';
/** A model that failed is passed over for a while in all conversations of a host: many agents, so that it is asked again. */
const agentsOfEachKind = 25;

interface Parts extends AsyncDisposable {
  world: World;
  tools: ToolServer;
  deck: Deck<ModelManner>;
  /** By the person's text: the manners in which it was answered, one after another. */
  asked: Map<string, ModelManner[]>;
  spared: Set<string>;
}

/** @throws Error when a conversation could not be held at all; what was not right in one is in `faults` */
export async function textConversations(plan: UnkindPlan): Promise<UnkindResult> {
  await using parts = await startParts(plan);
  const result: UnkindResult = {
    ...{ seed: plan.seed, conversations: plan.conversations, manners: {}, faults: [] },
    ...{ texts: 0, answered: 0, unavailable: 0, toolRuns: 0, longestSilenceMs: 0, fillers: 0, longestAnswerMs: 0 },
  };
  const limit = pLimit(plan.atOnce);
  await Promise.all(
    Array.from({ length: plan.conversations }, (_, number) => limit(() => converse(parts, plan, { number, result }))),
  );
  result.manners = parts.deck.counts;
  result.toolRuns = parts.tools.requests.length;
  return result;
}

async function startParts({ seed, timeout }: UnkindPlan): Promise<Parts> {
  await using stack = new AsyncDisposableStack();
  const [unkind, kind, tools] = await Promise.all([startOpenAIServer(), startOpenAIServer(), startToolServer()]);
  for (const server of [unkind, kind, tools]) stack.use(server);
  const deck = new Deck(modelManners, seed);
  const asked = new Map<string, ModelManner[]>();
  const spared = new Set<string>();
  unkind.reply((request) => {
    const manner = deck.draw();
    const text = lastTextOf(request);
    asked.set(text, [...(asked.get(text) ?? []), manner]);
    return manner.of(obey(request));
  });
  kind.reply((request) => {
    spared.add(lastTextOf(request));
    return obey(request);
  });
  const world = stack.use(await startWorld({ workers: 0, env: { TEST_TOOLS_URL: tools.url } }));
  await addAgents(world, agentsOf(unkind, kind, timeout));
  const owned = stack.move();
  return { world, tools, deck, asked, spared, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

function agentsOf(unkind: OpenAIServer, kind: OpenAIServer, timeout: string | undefined) {
  const fallbacks = [{ provider: 'openai', name: 'kind', baseUrl: kind.baseUrl }];
  const agent = (name: string, more: object) => ({
    script: undefined,
    tools: ['wait'],
    languages: [{ code: 'en', name: 'English', lines: { modelUnavailable: line } }],
    filler: { say: filler },
    model: openaiModel(unkind.baseUrl, { name, ...(timeout !== undefined && { timeout }), ...more }),
  });
  return Object.fromEntries(
    Array.from({ length: agentsOfEachKind }, (_, index) => [
      [`alone-${index}`, agent(`alone-${index}`, {})] as const,
      [`helped-${index}`, agent(`helped-${index}`, { fallbacks })] as const,
    ]).flat(),
  );
}

const lastTextOf = ({ body: { messages } }: ChatRequest): string =>
  textOf(messages.findLast(({ role }) => role === 'user')?.content);

async function converse(
  parts: Parts,
  { mostSilentMs }: UnkindPlan,
  { number, result }: { number: number; result: UnkindResult },
): Promise<void> {
  const { world, tools } = parts;
  const kind = number % 2 === 0 ? 'alone' : 'helped';
  const customer = await world.customer(`${kind}-${Math.floor(number / 2) % agentsOfEachKind}`);
  const { sessionId, ...connection } = await eventually('a session', () => customer.createSession());
  await using person = await Person.join(connection);
  const label = `order ${number}`;
  const texts = [
    `Hello ${number}`,
    order({ name: 'wait', arguments: { milliseconds: 0, label } }),
    `Thank you ${number}`,
  ];
  const fault = (what: string, of: UnkindFault['kind'] = 'words') =>
    void result.faults.push({ kind: of, what: `conversation ${number} (${kind}): ${what}` });
  for (const text of texts) {
    const since = performance.now();
    const from = person.replies.length;
    await person.write(text);
    const replies = await eventually(`an answer to "${text}"`, () => answerTo(person, from)).catch((error: Error) => {
      fault(error.message);
      return [];
    });
    const silenceMs = longestSilence(since, replies);
    result.longestSilenceMs = Math.max(result.longestSilenceMs, Math.round(silenceMs));
    result.longestAnswerMs = Math.max(result.longestAnswerMs, Math.round((replies.at(-1)?.endedAt ?? since) - since));
    if (replies.some(({ isFiller }) => isFiller)) result.fillers += 1;
    if (silenceMs > mostSilentMs) fault(`${Math.round(silenceMs)} ms of silence after "${text}"`, 'silence');
    judge(parts, {
      text,
      label,
      said: replies.filter(({ isFiller }) => !isFiller).map((reply) => reply.text),
      result,
      fault,
    });
  }
  await eventually('all is stored', () => isStored(parts, sessionId, person)).catch((error: Error) =>
    fault(error.message),
  );
  const runs = tools.requests.filter(({ body }) => body.label === label).length;
  if (runs > 1) fault(`the tool ran ${runs} times`, 'tool');
  await customer.endSession(sessionId);
}

/** Everything that was said to the text, once it ends with a whole answer or the service's line. */
function answerTo(person: Person, from: number) {
  const replies = person.replies.slice(from);
  const last = replies.findLast(({ isFiller }) => !isFiller);
  if (last?.endedAt === undefined || !replies.every(({ endedAt }) => endedAt !== undefined)) return undefined;
  return isWhole(last.text) || last.text === line ? replies : undefined;
}

const isWhole = (text: string) => /^You said: .*\d$/s.test(text.trim()) || /^\[.*\]$/s.test(text.trim());

/** Between two things that the person read one after the other, of which the text is the first; whoever was told to wait waits. */
function longestSilence(since: number, replies: readonly HeardReply[]): number {
  const toldAt = replies.find(({ isFiller }) => isFiller)?.firstChunkAt ?? Number.POSITIVE_INFINITY;
  const read = replies.flatMap(({ chunksAt }) => chunksAt).toSorted((a, b) => a - b);
  const silences = read.map((at, index) => (toldAt < at ? 0 : at - (read[index - 1] ?? since)));
  return Math.max(0, ...silences);
}

interface Judged {
  text: string;
  label: string;
  said: readonly string[];
  result: UnkindResult;
  fault: (what: string) => void;
}

/** Whether what was said is what the last manner, or the kind model after it, leaves to be said. */
function judge({ asked, spared }: Parts, { text, label, said, result, fault }: Judged): void {
  result.texts += 1;
  const last = said.at(-1)?.trim();
  const meant = text.startsWith('call ') ? label : `You said: ${text}`;
  const answered = last !== undefined && last !== line && last.includes(meant);
  if (answered) result.answered += 1;
  if (last === line) result.unavailable += 1;
  const manners = asked.get(text) ?? [];
  const must = spared.has(text) || manners.at(-1)?.outcome === 'whole';
  if (must !== answered)
    fault(`"${text}" → ${JSON.stringify(said)} after ${manners.map(({ name }) => name).join(', ')}`);
}

/** What the person wrote is stored once and closed; what they read is what is stored. */
async function isStored({ world }: Parts, sessionId: string, person: Person): Promise<true> {
  const lines = await storedLines(world, sessionId);
  const stored = lines.filter(({ role }) => role === 'ASSISTANT').map(({ content }) => content);
  const open = lines.filter(({ role, answered_at }) => role === 'USER' && answered_at === null);
  const asked = lines.filter(({ role }) => role === 'USER').length;
  const isRead = isDeepStrictEqual(answersOf(stored), answersOf(person.texts()));
  if (asked === 3 && open.length === 0 && isRead) return true;
  throw new Error(JSON.stringify({ stored, read: person.texts(), asked, open: open.length }));
}

/**
 * Where one reply ends and another begins is not compared: a fragment and the line after it are two. A filler that came within a reply is shown
 * after its beginning, and stored before it.
 */
const answersOf = (texts: readonly string[]) => ({
  words: texts
    .filter((text) => text !== filler)
    .join(' ')
    .split(/\s+/u)
    .filter(Boolean),
  fillers: texts.filter((text) => text === filler).length,
});
