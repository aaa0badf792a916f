import type { Variables } from '../../services/process/variables.ts';
import { settings } from '../../services/settings/settings.ts';

export interface ModelServer {
  /** Its name, as people know it. */
  server: string;
  /** Of its interface by OpenAI's protocol. */
  baseUrl: string;
  model: string;
}

/** Where they listen unless somebody has them listen elsewhere. */
export const usualServers: readonly Omit<ModelServer, 'model'>[] = [
  { server: 'Ollama', baseUrl: 'http://127.0.0.1:11434/v1' },
  { server: 'llama.cpp', baseUrl: 'http://127.0.0.1:8080/v1' },
];

/** On this machine one that is there answers at once. */
const answerWithinMs = 500;

/**
 * A model server on this machine, with the first of its models that can hold a conversation; undefined where there is none, or none is wanted:
 * the person has a key of OpenAI's, or has said which one by PARLEY_LOCAL_MODEL.
 */
export async function findModelServer(
  env: Variables,
  signal: AbortSignal,
  servers = usualServers,
): Promise<ModelServer | undefined> {
  if (env.OPENAI_API_KEY || env[settings.localModel.name]) return undefined;
  const models = await Promise.all(servers.map(({ baseUrl }) => firstModel(baseUrl, signal)));
  const at = models.findIndex((model) => model !== undefined);
  const [server, model] = [servers[at], models[at]];
  return server && model !== undefined ? { ...server, model } : undefined;
}

async function firstModel(baseUrl: string, signal: AbortSignal): Promise<string | undefined> {
  try {
    const late = AbortSignal.any([signal, AbortSignal.timeout(answerWithinMs)]);
    const response = await fetch(`${baseUrl}/models`, { signal: late, redirect: 'error' });
    const { data } = (await response.json()) as { data?: unknown };
    const ids = Array.isArray(data) ? data.map((one: { id?: unknown } | null) => one?.id) : [];
    return ids.find((id): id is string => typeof id === 'string' && !/embed|\s/u.test(id));
  } catch {
    // Nobody listens there, or somebody who is no model server.
    return undefined;
  }
}
