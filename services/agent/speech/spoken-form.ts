import { ReadableStream } from 'node:stream/web';
import { voice } from '@livekit/agents';

/** Of an address only its host is said: nobody writes the rest down from hearing. */
const address = /\bhttps?:\/\/(?:www\.)?([^\s/?#:)]+)(?::\d+)?(?:[/?#][^\s)]*?)?(?=[.,!?;:]*(?:\s|\)|$))/giu;
/** Marks whose other half stands in another sentence, and the lines of tables. */
const strayMarks =
  /(?<=^|[\s\p{P}])(?:\*+|_{2,}|`+|~~)(?=\S)|(?<=\S)(?:\*+|_{2,}|`+|~~)(?=$|[\s\p{P}])|\|(?:[\s:|-]*\|)?/gu;

/**
 * A sentence as it is said: without Markdown, emoji and the paths of addresses, which voices read out mark by mark. What is
 * shown and stored stays as it was written. May be empty.
 */
export async function spokenForm(sentence: string): Promise<string> {
  const source = ReadableStream.from([sentence]);
  const { applyTextTransforms } = voice.textTransforms;
  let plain = '';
  for await (const piece of applyTextTransforms(source, ['filter_markdown', 'filter_emoji'])) plain += piece;
  return plain
    .replace(address, '$1')
    .replace(strayMarks, ' ')
    .replace(/\s+/gu, ' ')
    .replace(/ (?=[.,!?;:])/gu, '')
    .trim();
}
