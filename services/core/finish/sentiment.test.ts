import { expect, test } from 'vitest';
import { sentimentByWords } from './sentiment.ts';

test.each([
  ['positive', ['Great, thank you!']],
  ['positive', ['Danke, das war sehr hilfreich.']],
  ['positive', ['That is not bad at all']],
  ['negative', ['This is terrible.', 'I am so disappointed']],
  ['negative', ['Das ist nicht gut']],
  ['negative', ['Der Service ist eine KATASTROPHE, wirklich schlecht']],
  ['neutral', ['A table for two, please.']],
  ['neutral', ['The goodness of fit', 'badminton']],
  ['neutral', []],
] as const)('%s: %j', (sentiment, lines) => {
  expect(sentimentByWords(lines)).toBe(sentiment);
});
