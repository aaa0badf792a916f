import { useMemo, useState } from 'preact/hooks';
import { blocksOf, type Part } from '../said/rich.ts';
import type { Texts } from '../texts/en.ts';

/** Beyond this a reply is shown on request: a page of it would hide all others. */
const shownAtFirst = 4_000;

/** A reply, drawn of elements and text alone. */
export function Rich({ text, texts }: { text: string; texts: Texts }) {
  const [isWhole, showAll] = useState(false);
  const isLong = text.length > shownAtFirst && !isWhole;
  const shown = isLong ? `${text.slice(0, shownAtFirst)}…` : text;
  const blocks = useMemo(() => blocksOf(shown), [shown]);
  return (
    <>
      {blocks.map((block, index) => {
        if (block.kind === 'code') return <pre key={index}>{block.text}</pre>;
        if (block.kind === 'paragraph')
          return (
            <p key={index} dir="auto">
              <Parts parts={block.parts} />
            </p>
          );
        // The list's own direction: its marks stand on that side, where it has room for them.
        const items = block.items.map((parts, at) => (
          <li key={at}>
            <Parts parts={parts} />
          </li>
        ));
        return block.isOrdered ? (
          <ol key={index} dir="auto" start={block.start}>
            {items}
          </ol>
        ) : (
          <ul key={index} dir="auto">
            {items}
          </ul>
        );
      })}
      {isLong && (
        <button type="button" class="plain" onClick={() => showAll(true)}>
          {texts.showAll}
        </button>
      )}
    </>
  );
}

function Parts({ parts }: { parts: readonly Part[] }) {
  return (
    <>
      {parts.map((part, index) => {
        if (part.kind === 'bold') return <strong key={index}>{part.text}</strong>;
        if (part.kind === 'code') return <code key={index}>{part.text}</code>;
        if (part.kind === 'text') return part.text;
        return (
          <a key={index} href={part.url} target="_blank" rel="noopener noreferrer nofollow">
            <bdi>{part.text}</bdi>
            {part.host && <bdi class="host"> ({part.host})</bdi>}
          </a>
        );
      })}
    </>
  );
}
