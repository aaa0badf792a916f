import { StringDecoder } from 'node:string_decoder';
import { type ModelTrouble, modelFails, modelIsBack } from '../../services/agent/models/watch.ts';

/**
 * Says once what a host's log tells of models that do not answer, with what to do about it: the person who talks to the agent hears
 * only that it cannot answer. One for all hosts, each of which tells it by itself; `listen` makes the reader of one host's output.
 */
export function followModels(say: (line: string) => void): { listen(): (chunk: Buffer | string) => void } {
  const told = new Map<string, string>();
  const hear = (line: string) => {
    const news = readNews(line);
    if (!news) return;
    const which = named(news);
    if (news.msg === modelFails) {
      const sentence = troubleSentence(news);
      if (told.get(which) !== sentence) say(sentence);
      told.set(which, sentence);
    } else if (told.delete(which)) say(`${which} answers again.`);
  };
  return {
    listen: () => {
      // A chunk may end within a character.
      const decoder = new StringDecoder('utf8');
      let rest = '';
      return (chunk) => {
        const lines = `${rest}${decoder.write(Buffer.from(chunk))}`.split('\n');
        rest = (lines.pop() ?? '').slice(0, longestLine);
        for (const line of lines) hear(line);
      };
    },
  };
}

/** Ours are shorter; of what else is printed no more is kept. */
const longestLine = 65_536;

type News = ModelTrouble & { msg: string };

function readNews(line: string): News | undefined {
  if (!line.includes(modelFails) && !line.includes(modelIsBack)) return undefined;
  try {
    const news = JSON.parse(line) as News;
    return news.msg === modelFails || news.msg === modelIsBack ? news : undefined;
  } catch {
    // What a library printed beside the log.
    return undefined;
  }
}

/** What is wrong, and what to do. */
export function troubleSentence(trouble: ModelTrouble): string {
  return `${named(trouble)} ${whatIsWrong(trouble)}. ${whatToDo(trouble)} Meanwhile ${trouble.agent} and others that use it go on with their next model or script, or apologise.`;
}

const named = ({ provider, model, server }: Pick<ModelTrouble, 'provider' | 'model' | 'server'>): string =>
  `The model ${model ?? `of ${provider}`}${server ? ` at ${server}` : ''}`;

function whatIsWrong({ kind, statusCode, said }: ModelTrouble): string {
  const status = statusCode === undefined ? '' : ` ${statusCode}`;
  switch (kind) {
    case 'unauthorized':
      return statusCode === 429 ? 'says that the account has no credit left' : `refuses the key: it answers${status}`;
    case 'rate_limited':
      return `is asked more often than it allows: it answers${status}`;
    case 'rejected':
      return `refuses what it is asked: it answers${status}, "${short(said)}"`;
    case 'unavailable':
      return status ? `fails: it answers${status}, "${short(said)}"` : `cannot be reached (${short(said)})`;
    case 'timeout':
    case 'stalled':
      return `is too slow: ${short(said).replace(/\.$/u, '')}`;
    case 'incomplete':
      return `answers what cannot be used: ${short(said).replace(/\.$/u, '')}`;
    default:
      return kind satisfies never;
  }
}

function whatToDo({ kind, statusCode, key, server }: ModelTrouble): string {
  switch (kind) {
    case 'unauthorized':
      if (statusCode === 429) return 'Add credit at the provider, or name another model.';
      return key === undefined
        ? 'It wants a key: name the variable that holds it as apiKey of the model (docs/write-agents/models.md).'
        : `Put the right key into ${key}, in the environment or in .env, and start again.`;
    case 'rate_limited':
      return 'Wait, or raise the limit at the provider.';
    case 'rejected':
      return statusCode === 404
        ? "Check the model's name and baseUrl; on Ollama, pull the model first (docs/write-agents/models.md)."
        : 'Check its name and options in the file of the agent (docs/write-agents/models.md).';
    case 'unavailable':
      return isHere(server) ? 'Start its server, or correct its baseUrl.' : 'Check the network and its baseUrl.';
    case 'timeout':
    case 'stalled':
      return 'Take a smaller or faster model, or give it more timeoutMs.';
    case 'incomplete':
      return "Check that its baseUrl is that of a server of OpenAI's protocol, usually ending in /v1.";
    default:
      return kind satisfies never;
  }
}

const isHere = (server: string | undefined): boolean =>
  server !== undefined && /^(?:127\.|localhost$|\[::1\]$)/u.test(new URL(server).hostname);

const mostCharacters = 160;
const short = (said: string): string => {
  const line = said.replace(/\s+/gu, ' ').trim();
  return line.length > mostCharacters ? `${line.slice(0, mostCharacters)} …` : line;
};
