import type { Sentiment } from '../../contract/session.ts';

/** English and German; small on purpose: only words that hardly ever mean anything else. */
const positive = new Set(
  `thanks thank great perfect wonderful excellent awesome amazing lovely brilliant fantastic helpful good nice super happy
  appreciate danke dankeschön toll perfekt wunderbar ausgezeichnet klasse prima hilfreich gut schön freut spitze`.split(
    /\s+/,
  ),
);
const negative = new Set(
  `bad terrible awful horrible useless angry annoyed annoying frustrated frustrating disappointed disappointing ridiculous
  unacceptable worst hate stupid wrong broken complaint schlecht schrecklich furchtbar nutzlos ärgerlich sauer wütend
  enttäuscht enttäuschend unverschämt lächerlich katastrophe dumm falsch kaputt beschwerde`.split(/\s+/),
);
const negations = new Set(['not', "isn't", "wasn't", "don't", 'never', 'no', 'nicht', 'kein', 'keine', 'nie']);
/** "not very good": a negation reaches over one word. */
const reach = 2;

/** By words alone; what the person said, a line each. */
export function sentimentByWords(lines: readonly string[]): Sentiment {
  const score = lines.reduce((sum, line) => sum + scoreOf(line), 0);
  if (score === 0) return 'neutral';
  return score > 0 ? 'positive' : 'negative';
}

function scoreOf(line: string): number {
  const words = line.toLowerCase().match(/[\p{L}']+/gu) ?? [];
  return words.reduce((sum, word, index) => {
    const value = positive.has(word) ? 1 : negative.has(word) ? -1 : 0;
    if (value === 0) return sum;
    const isNegated = words.slice(Math.max(0, index - reach), index).some((before) => negations.has(before));
    return sum + (isNegated ? -value : value);
  }, 0);
}
