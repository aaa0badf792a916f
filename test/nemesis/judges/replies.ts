import { type Evidence, isKind, momentOf } from '../evidence.ts';
import { type Judge, short } from './judge.ts';
import { isIn, unwritten } from './unwritten.ts';

export const noToolTwice: Judge = {
  name: 'no tool is run twice',
  judge: ({ toolRuns }) =>
    [...countsOf(toolRuns)].filter(([, runs]) => runs > 1).map(([label, runs]) => `${label} was run ${runs} times`),
};

export const noReplyByTwo: Judge = {
  name: 'no reply is given by two hosts',
  judge: (evidence) => [...heardFromTwo(evidence), ...storedTwice(evidence)],
};

/** Which text a reply belongs to can be read in it. */
const namesItsText = /^(You said|Waited): /;

/** What the person has heard whole, from participants that were two. */
function heardFromTwo(evidence: Evidence): string[] {
  const known = unwritten(evidence);
  const speakers = new Map<string, Set<string>>();
  const replies = evidence.entries.filter(isKind('heard')).filter(({ text }) => namesItsText.test(text));
  // Whoever said it while it could not be written down may be followed by another who does not know.
  for (const { session, text, speaker } of replies.filter(({ atMs }) => !isIn(known, atMs))) {
    const key = `${short(session)} "${text}"`;
    speakers.set(key, (speakers.get(key) ?? new Set()).add(speaker));
  }
  return [...speakers]
    .filter(([, all]) => all.size > 1)
    .map(([reply, all]) => `${reply} was said by ${[...all].join(' and ')}`);
}

function storedTwice(evidence: Evidence): string[] {
  const known = unwritten(evidence);
  const turns = evidence.lines
    .filter(({ role, turn, atMs }) => role === 'ASSISTANT' && turn > 0 && !isIn(known, atMs))
    .map(({ session, turn }) => `turn ${turn} of ${short(session)}`);
  return [...countsOf(turns)].filter(([, count]) => count > 1).map(([turn, count]) => `${turn} has ${count} replies`);
}

export const nothingAcceptedIsLost: Judge = {
  name: 'what was stored is answered, and what was answered is stored, once',
  judge: (evidence) => [...unanswered(evidence), ...notStoredOnce(evidence)],
};

/** A session whose person has vanished may end before its host can write again: what is written then is not added to it. */
const unanswered = (evidence: Evidence) =>
  evidence.lines
    .filter(({ role, isAnswered }) => role === 'USER' && !isAnswered)
    .filter(({ session }) => momentOf(evidence, session, 'vanished') === undefined)
    .map(({ session, content }) => `"${content}" of ${short(session)} was stored and never answered`);

function notStoredOnce({ entries, lines }: Evidence): string[] {
  return entries.filter(isKind('wrote')).flatMap(({ session, text }) => {
    const stored = lines.filter((line) => line.role === 'USER' && line.session === session && line.content === text);
    const wasAnswered = entries.some(
      (entry) => entry.kind === 'heard' && entry.session === session && entry.text === `You said: ${text}`,
    );
    if (stored.length > 1) return [`"${text}" of ${short(session)} is stored ${stored.length} times`];
    return wasAnswered && stored.length === 0 ? [`"${text}" of ${short(session)} was answered and is not stored`] : [];
  });
}

export const everybodyGoesOn: Judge = {
  name: 'whoever is there when all is healed is answered',
  judge: ({ entries }) =>
    entries.filter(isKind('gave up')).map(({ session }) => `${short(session)} was never answered`),
};

function countsOf(items: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const item of items) counts.set(item, (counts.get(item) ?? 0) + 1);
  return counts;
}
