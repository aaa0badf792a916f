/** Why a target is missed: what was tried, and what meeting it would take. The figures themselves are in results/. */

export interface Miss {
  /** Names of figures of the row, whole or where they begin. */
  figures: readonly string[];
  /** What was tried and what it would take. */
  takes: string;
}

/** By row. A figure that is met again, and its sentence, may stay: only what is missed is shown. */
export const misses: Record<string, readonly Miss[]> = {
  'session-creation': [
    {
      figures: ['share of the baseline’s rate'],
      takes:
        'Tried: requests that come together share one transaction, and keys and live agents are cached (0.43 → 0.56 to 0.60). It would take fewer rows for a session: beside the one INSERT of the baseline stand the room, the caps and the request’s idempotency, which are guarantees.',
    },
  ],
  history: [
    {
      figures: ['/api/tenants/'],
      takes:
        'Tried: an index for each filter, roll-ups for sums, trigrams for words. Indexes for outcome, test, failed tools and hours were added after this run (migrations 0054 to 0058); with 200 000 sessions every row was then under 100 ms, with 1 000 000 it was not measured again. Words that nobody said ask for a list of words beside the trigrams.',
    },
  ],
  'text-latency': [
    {
      figures: ['share of stock'],
      takes:
        'Tried: a second timer of the framework is gone (14.8 → 12.5 ms in one hour). Left are 6.5 ms of transport both ways, 2.5 ms until the text is stored and 2 ms to open a stream; stock has the same transport and stores nothing. Asking the model before the text is stored would win 2.5 ms and give up that nothing is answered that is not kept; more would take another transport than text streams of the room.',
    },
  ],
  'text-sessions': [
    {
      figures: ['a burst of 50'],
      takes:
        'Tried: callers without a warm room are given the next one that is made (10 → 6.4 s). The 50 clients, the room server and the host share the cores of this run. It would take more warm rooms than the burst, which cost memory while nobody comes, or more cores. The row was last run before the conversation was built anew.',
    },
  ],
  'text-takeover': [
    {
      figures: ['words again, cold'],
      takes:
        'Tried: a worker proves the last host’s death (1.33 → 1.25 s). Of a cold start 0.37 s are the import of the framework’s 1 540 modules: one bundled file would take most of it away, and the native library would have to stay outside.',
    },
  ],
  'voice-density': [
    {
      figures: ['share of memory (PSS)'],
      takes:
        'Eight sessions are one process here and eight at stock, which share the pages of their code: most of ours is what one process needs before its first session, so the share falls with every further session. What is in it was not taken apart; what the native client keeps of each connection (see the calls below) is part of it.',
    },
  ],
  'voice-takeover': [
    {
      figures: ['sound again'],
      takes:
        'Tried: the worker’s proof of death, and going on from the words that were said (0.90 and 1.40 → 0.70 and 1.22 s). Warm, it would take a second host that is in the room already, ready to speak. Cold, 0.37 s are the import of the framework, which one bundled file would shorten.',
    },
  ],
  'voice-calls': [
    {
      figures: ['calls without an answer'],
      takes:
        'The one call never began in the caller’s own client, six of which share a process here. It would take a process for each caller, which this machine has no memory and cores for beside the servers.',
    },
  ],
  speech: [
    {
      figures: ['words lost at the ends, clean'],
      takes:
        'Three words of 40, each heard as another one: “scarf” at the end of one sentence, “Could” and “Can” at the beginning of two (“Good somebody help …”, “And you read …”). The sound was whole, since other words stood there. Not tried: a larger model (Whisper small), which would most likely mend it.',
    },
    {
      figures: ['recognition of an utterance, p50', 'first sound of a sentence, p50'],
      takes:
        'Met on a quiet machine (424 and 168 ms), missed beside programs that have most of the cores. It would take a core of its own, a smaller voice, or Whisper tiny, whose words are worse.',
    },
  ],
  'unkind-shipped': [
    {
      figures: ['silences over 2 s'],
      takes:
        'Measured before an agent’s file could word a filler for writing, which the agents of this row have now; it was not run again on a quiet machine. Beside programs that had 93 % of the cores, 24 conversations: 72 texts, 14 of them filled, two silences over 2 s, the longest 3.1 s. It would take a run without them. Without a filler the person sees only that the agent is thinking, for up to 30 s; an agent that has to answer sooner says so by `model.timeout`.',
    },
  ],
  unkind: [
    {
      figures: ['silences over 2 s'],
      takes:
        'One of 1 500 texts, 0.15 s over, beside other programs that had half of the cores. A quiet run is owed; if it stays, the answer’s own deadline would have to be less than the model’s by the time that a busy host is late.',
    },
  ],
};

/** What stands under a row for a figure that misses its target; undefined: nobody has written it. */
export function whatItTakes(row: string, figure: string): string | undefined {
  return misses[row]?.find(({ figures }) => figures.some((name) => figure.startsWith(name)))?.takes;
}
