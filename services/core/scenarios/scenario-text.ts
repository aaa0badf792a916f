import { Document, isMap, isSeq } from 'yaml';
import type { Draft } from './from-conversation.ts';

const longestComment = 200;

/**
 * The text of a scenario file with one scenario more at its end; every byte that is there stays. One that it ends with already is not added again: an
 * earlier attempt may have written it.
 */
export function appended(text: string | undefined, draft: Draft): string {
  const item = itemOf(draft);
  if (text === undefined)
    return `# yaml-language-server: $schema=../../schemas/scenario.schema.json\nscenarios:\n${indented(item, 2)}`;
  const indent = /^scenarios:[^\n]*\n(?:\s*(?:#[^\n]*)?\n)*( *)-/m.exec(text)?.[1]?.length ?? 2;
  const added = indented(item, indent);
  return text.trimEnd().endsWith(`\n${added.trimEnd()}`) ? text : `${text.trimEnd()}\n\n${added}`;
}

/** What the agent said stands below each turn as a comment. */
function itemOf({ scenario, replies }: Draft): string {
  const document = new Document([scenario]);
  const turns = document.getIn([0, 'turns']);
  for (const [index, turn] of isSeq(turns) ? turns.items.entries() : []) {
    const reply = replies[index]?.replaceAll(/\s+/g, ' ').trim() ?? '';
    if (isMap(turn) && reply !== '') turn.comment = ` The agent: ${reply.slice(0, longestComment)}`;
  }
  return document.toString({ lineWidth: 0 });
}

const indented = (text: string, spaces: number): string =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => (line === '' ? line : ' '.repeat(spaces) + line))
    .join('\n')
    .concat('\n');
