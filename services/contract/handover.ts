/**
 * With few conversations: one that is given away waits for its hidden listener, its turn, its last words, the end of what the person is
 * saying, and its successor. Where all of these take long, the last ten seconds are in haste, and what is being said is cut.
 */
const baseSeconds = 25;
/** Of each conversation, 16 at once to one successor: 6 s of a round on cores that are all busy. */
const secondsEach = 0.4;

/** How long a host with so many conversations may take to give them away; its pod's grace is longer. */
export const handoverSeconds = (conversations: number): number => baseSeconds + Math.ceil(secondsEach * conversations);
