/**
 * What was not as it must be: `silence` nothing was read or heard for too long, `tool` one ran twice, `words` anything else (a text that was
 * lost, split, not answered or not stored). `what` names the conversation and the manners in it.
 */
export interface UnkindFault {
  kind: 'silence' | 'words' | 'tool';
  what: string;
}
