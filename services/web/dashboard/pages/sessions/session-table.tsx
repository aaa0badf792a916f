import type { SessionItem } from '../../account/account-api.ts';
import { Outcomes } from '../../parts/badge.tsx';
import { When } from '../../parts/when.tsx';
import { duration } from '../../words/formats.ts';
import { named, useWords } from '../../words/use-words.ts';

/** A row a conversation; the whole row leads there. */
export function SessionTable({ items, base }: { items: readonly SessionItem[]; base: string }) {
  const { sessions } = useWords();
  return (
    <div class="table-box">
      <table class="rows">
        <thead>
          <tr>
            <th scope="col">{sessions.started}</th>
            <th scope="col">{sessions.agent}</th>
            <th scope="col">{sessions.outcome}</th>
            <th scope="col" class="wide-only">
              {sessions.summary}
            </th>
            <th scope="col">{sessions.channel}</th>
            <th scope="col" class="figure">
              {sessions.turns}
            </th>
            <th scope="col" class="figure">
              {sessions.duration}
            </th>
          </tr>
        </thead>
        <tbody>
          {items.map((item) => (
            <Row key={item.id} item={item} base={base} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Row({ item, base }: { item: SessionItem; base: string }) {
  const { codes, sessions } = useWords();
  return (
    <tr>
      <th scope="row">
        <a class="row-link" href={`${base}/${item.id}`}>
          <When at={item.startedAt ?? item.createdAt} />
        </a>
      </th>
      <td>{item.agent}</td>
      <td>
        <Outcomes status={item.status} outcome={item.outcome} />
      </td>
      <td class="wide-only cut quiet" title={item.summary ?? ''}>
        {item.summary}
      </td>
      <td class="quiet">
        {named(codes.channel, item.channel)} · {named(codes.mode, item.interactionMode)}
      </td>
      <td class="figure" data-name={sessions.turns}>
        {item.turns}
      </td>
      <td class="figure">{item.durationSeconds === null ? '' : duration(item.durationSeconds)}</td>
    </tr>
  );
}
