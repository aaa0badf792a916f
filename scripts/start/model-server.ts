import type { Variables } from '../../services/process/variables.ts';
import { settings } from '../../services/settings/settings.ts';

export interface ModelServer {
  /** Its name, as people know it. */
  server: string;
  /** Of its interface by OpenAI's protocol. */
  baseUrl: string;
  model: string;
}

type ListeningServer = Omit<ModelServer, 'model'>;

/** Where they listen unless somebody has them listen elsewhere. */
export const usualServers: readonly ListeningServer[] = [
  { server: 'Ollama', baseUrl: 'http://127.0.0.1:11434/v1' },
  { server: 'llama.cpp', baseUrl: 'http://127.0.0.1:8080/v1' },
];

/** One that is there answers at once, unless the machine is busy; where nobody listens nothing is waited for. */
const answerWithinMs = 2_000;
/** Of those are capabilities asked; the one used last comes first in Ollama's list. */
const mostAsked = 20;

/**
 * A model server on this machine, with the first of its models that can hold a conversation and call tools; undefined where there is
 * none, or none is wanted: the person has a key of OpenAI's, or has said which one by PARLEY_LOCAL_MODEL. `say` is told of a server
 * that is there and cannot be used, with what to do.
 */
export async function findModelServer(
  env: Variables,
  signal: AbortSignal,
  servers = usualServers,
  say: (line: string) => void = () => undefined,
): Promise<ModelServer | undefined> {
  if (env.OPENAI_API_KEY || env[settings.localModel.name]) return undefined;
  const looks = await Promise.all(servers.map((listening) => lookAt(listening, signal)));
  const found = looks.find((look) => look && 'model' in look);
  if (found && 'model' in found) return found;
  for (const look of looks) if (look && 'why' in look && !signal.aborted) say(look.why);
  return undefined;
}

type Look = ModelServer | { why: string } | undefined;

async function lookAt(listening: ListeningServer, signal: AbortSignal): Promise<Look> {
  const listed = await modelsOf(listening, signal);
  if (listed === undefined) return undefined;
  if (listed === 'late') return unusable(listening, 'is there and does not answer', 'Start it again, then npm start.');
  if (listed.length === 0) return unusable(listening, 'runs here and has no model', howToGet(listening));
  const talking = listed.filter((id) => !namesEmbeddings.test(id)).slice(0, mostAsked);
  const able = await Promise.all(talking.map(async (id) => ({ id, can: await capabilities(listening, id, signal) })));
  const model = able.find(({ can }) => can === undefined || (can.includes('completion') && can.includes('tools')))?.id;
  if (model !== undefined) return { ...listening, model };
  const canTalk = able.some(({ can }) => can?.includes('completion'));
  const lacks = canTalk ? 'has no model that can call tools' : 'has no model that can hold a conversation';
  return unusable(listening, `runs here and ${lacks} (${listed.slice(0, 3).join(', ')})`, howToGet(listening));
}

/** Where a server does not say what its models can do: families that make vectors and no words. A blank would end the name in our setting. */
const namesEmbeddings = /embed|(?:^|\/)(?:all-minilm|bge-|gte-|e5-|paraphrase-)|rerank|\s/iu;

const unusable = ({ server, baseUrl }: ListeningServer, what: string, todo: string): { why: string } => ({
  why: `${server} ${what} (${baseUrl}): agents that name no model are answered by their script. ${todo}`,
});

const howToGet = ({ server }: ListeningServer): string =>
  server === 'Ollama'
    ? 'Fetch one, such as "ollama pull qwen3:4b", and start again.'
    : 'Start it with a model that talks (-m or -hf), then npm start again.';

/** Undefined: nobody listens there, or somebody who is no model server. `late`: whoever listens says nothing. */
async function modelsOf({ baseUrl }: ListeningServer, signal: AbortSignal): Promise<string[] | 'late' | undefined> {
  try {
    const { object, data } = (await ask(`${baseUrl}/models`, {}, signal)) as { object?: unknown; data?: unknown };
    // Ollama without a model answers null in place of a list.
    if (!Array.isArray(data)) return object === 'list' && data === null ? [] : undefined;
    const ids = data.map((one: { id?: unknown } | null) => one?.id);
    const names = ids.filter((id): id is string => typeof id === 'string');
    return names.length > 0 || object === 'list' ? names : undefined;
  } catch (error) {
    return error instanceof DOMException && error.name === 'TimeoutError' ? 'late' : undefined;
  }
}

/** What Ollama says that a model can do (`completion`, `tools`, `embedding`); undefined where it does not say. */
async function capabilities(
  { server, baseUrl }: ListeningServer,
  model: string,
  signal: AbortSignal,
): Promise<string[] | undefined> {
  if (server !== 'Ollama') return undefined;
  try {
    const body = JSON.stringify({ model });
    const told = (await ask(`${new URL(baseUrl).origin}/api/show`, { method: 'POST', body }, signal)) as {
      capabilities?: unknown;
    };
    return Array.isArray(told.capabilities) ? told.capabilities.map(String) : undefined;
  } catch {
    // An older one does not know; by its name it is taken for one that can.
    return undefined;
  }
}

async function ask(url: string, init: RequestInit, signal: AbortSignal): Promise<unknown> {
  const late = AbortSignal.any([signal, AbortSignal.timeout(answerWithinMs)]);
  const response = await fetch(url, { ...init, signal: late, redirect: 'error' });
  if (!response.ok) throw new Error(`${url} answers ${response.status}`);
  return response.json();
}
