/** Spoken conversations with recognition and a voice that have the manners of Deepgram's; the model is kind. */
import { storedLines } from '../proofs/proof-world.ts';
import { eventually } from '../support/eventually.ts';
import { SpeakingPerson } from '../support/people/speaking-person.ts';
import { spoken } from '../support/people/speech-sound.ts';
import { Deck, type Manner } from '../support/stand-ins/manners/deck.ts';
import {
  listen,
  type RecognitionManner,
  recognitionManners,
  type Taking,
} from '../support/stand-ins/manners/recognition.ts';
import { type SynthesisManner, speak, synthesisManners } from '../support/stand-ins/manners/synthesis.ts';
import { obey } from '../support/stand-ins/obedient-model.ts';
import { startOpenAIServer } from '../support/stand-ins/openai-server.ts';
import { deepgram } from '../support/stand-ins/providers/deepgram.ts';
import { startSpeechServer, testKey } from '../support/stand-ins/providers/speech-server.ts';
import { addAgents, openaiModel } from '../support/world/agent-files.ts';
import { startWorld, type World } from '../support/world/world.ts';
import type { UnkindFault } from './fault.ts';

export interface SpokenPlan {
  utterances: number;
  seed: number;
  /** Persons who speak at the same time. */
  atOnce: number;
  /** From the person's last sound to the agent's first, at most. */
  mostSilentMs: number;
  /** Until the answer can be read. */
  answeredWithinMs?: number;
}

export interface SpokenResult {
  seed: number;
  conversations: number;
  utterances: number;
  manners: Record<string, number>;
  answered: number;
  /** Times that the agent's filler came before the answer. */
  fillers: number;
  longestSilenceMs: number;
  faults: UnkindFault[];
}

/** Then a new conversation begins: what failed in the last one rests no longer. */
const utterancesEach = 5;
/** Heard when an answer takes long. */
const filler = 'One moment please.';
/** The same draw for all that speak at once: each manner comes as often as the others. */
interface Decks {
  heard: Deck<RecognitionManner>;
  said: Deck<SynthesisManner>;
}

/** One person's hearing and voice: what is said next, and how it is taken. */
class Speech {
  words = '';
  /** Its end was asked for. */
  isOver = true;
  readonly decks: Decks;
  /** Of the utterance that is being said; on a second connection it is heard as documented. */
  #manner: RecognitionManner | undefined;

  constructor(decks: Decks) {
    this.decks = decks;
  }

  /** How the next utterance will be taken. */
  prepare(words: string): RecognitionManner {
    this.words = words;
    this.isOver = false;
    this.#manner = this.decks.heard.draw();
    return this.#manner;
  }

  next(): Taking {
    const manner = this.#manner ?? recognitionManners[0];
    this.#manner = undefined;
    // What comes after its end is told already: the breath after the last word.
    return { manner, words: this.isOver ? '' : this.words, over: () => this.#over() };
  }

  #over(): void {
    this.isOver = true;
  }
}

export async function spokenUtterances(plan: SpokenPlan): Promise<SpokenResult> {
  await using stack = new AsyncDisposableStack();
  const model = stack.use(await startOpenAIServer());
  model.reply(obey);
  const decks = { heard: new Deck(recognitionManners, plan.seed), said: new Deck(synthesisManners, plan.seed + 1) };
  const speeches = Array.from({ length: plan.atOnce }, () => new Speech(decks));
  const servers = await Promise.all(speeches.map((speech) => startSpeechServer(protocolOf(speech))));
  for (const server of servers) stack.use(server);
  const world = stack.use(await startWorld({ workers: 0, env: { TEST_KEY: testKey } }));
  const agents = servers.map(({ url }, index) => [`speaker-${index}`, agentAt(url, model.baseUrl)] as const);
  await addAgents(world, Object.fromEntries(agents));
  const result: SpokenResult = {
    ...{ seed: plan.seed, utterances: plan.utterances, conversations: 0, manners: {} },
    ...{ answered: 0, fillers: 0, longestSilenceMs: 0, faults: [] },
  };
  const sound = await spoken('the next order is this one please');
  const left = { utterances: plan.utterances, number: 0 };
  await Promise.all(
    speeches.map(async (speech, index) => {
      while (left.utterances > 0)
        await converse({ world, speech, agent: `speaker-${index}`, sound, plan, left, result });
    }),
  );
  result.manners = { ...named('recognition', decks.heard), ...named('synthesis', decks.said) };
  return result;
}

const named = (part: string, { counts }: Deck<Manner>): Record<string, number> =>
  Object.fromEntries(Object.entries(counts).map(([name, count]) => [`${part}: ${name}`, count]));

const protocolOf = (speech: Speech) => ({
  ...deepgram,
  socket: (socket: Parameters<typeof listen>[0], _server: unknown, url: URL) =>
    url.pathname === '/v1/speak' ? speak(socket, () => speech.decks.said.draw()) : listen(socket, () => speech.next()),
});

function agentAt(url: string, modelUrl: string) {
  const provider = { provider: 'deepgram', baseUrl: url, apiKey: { env: 'TEST_KEY' } };
  return {
    script: undefined,
    tools: [],
    languages: [{ code: 'en', name: 'English' }],
    model: openaiModel(modelUrl),
    speech: {
      ...{ recognition: [provider], synthesis: [provider], endpointing: { maxDelay: '500ms' } },
      filler: { after: '1s', say: filler },
    },
  };
}

interface Talking {
  world: World;
  speech: Speech;
  agent: string;
  sound: Int16Array;
  plan: SpokenPlan;
  left: { utterances: number; number: number };
  result: SpokenResult;
}

async function converse({ world, speech, agent, sound, plan, left, result }: Talking): Promise<void> {
  const customer = await world.customer(agent);
  const session = await eventually('a session', () => customer.createSession({ interactionMode: 'VOICE' }));
  await using person = await SpeakingPerson.join(session);
  result.conversations += 1;
  const meant: string[] = [];
  const taken: string[] = [];
  for (let said = 0; said < utterancesEach && left.utterances > 0; said += 1) {
    left.utterances -= 1;
    left.number += 1;
    const words = `the order number ${left.number} is mine`;
    const manner = speech.prepare(words);
    taken.push(manner.name);
    const fault = (what: string, kind: UnkindFault['kind'] = 'words') =>
      void result.faults.push({ kind, what: `"${words}" (${manner.name}): ${what}` });
    await person.hearsSilence();
    const from = person.captions.length;
    await person.say(sound);
    if (manner.outcome === 'nothing') {
      await eventually('the end of a sound without words', () => speech.isOver).catch((error: Error) =>
        fault(error.message),
      );
      continue;
    }
    meant.push(words);
    const since = person.spokeUntil;
    const answered = await person
      .reads(new RegExp(`You said: ${words}`), { from, withinMs: plan.answeredWithinMs ?? 15_000 })
      .then(
        () => true,
        (error: Error) => fault(error.message),
      );
    if (!answered) continue;
    result.answered += 1;
    const first = person.sounds.find((sound) => sound.to > since);
    const silenceMs = Math.round((first?.from ?? performance.now()) - since);
    result.longestSilenceMs = Math.max(result.longestSilenceMs, silenceMs);
    if (silenceMs > plan.mostSilentMs) fault(`${silenceMs} ms of silence`, 'silence');
  }
  result.fillers += person.captionsOf('agent').filter((text) => text.startsWith(filler)).length;
  const lines = await storedLines(world, session.sessionId);
  const stored = lines.filter(({ role }) => role === 'USER').map(({ content }) => content);
  if (JSON.stringify(stored) !== JSON.stringify(meant))
    result.faults.push({
      kind: 'words',
      what: `said ${JSON.stringify(meant)}, and stored is ${JSON.stringify(stored)} (${taken.join(', ')})`,
    });
  await customer.endSession(session.sessionId);
}
