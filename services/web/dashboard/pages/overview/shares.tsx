import { outcomes, sentiments } from '../../../../contract/session.ts';
import type { Analytics } from '../../account/account-api.ts';
import { useHere } from '../../account/use-account.ts';
import { duration, milliseconds } from '../../words/formats.ts';
import { named, useFormats, useWords } from '../../words/use-words.ts';

/** What the conversations came to, and by whom. */
export function Shares({ analytics }: { analytics: Analytics }) {
  const { overview, session, sessions, codes } = useWords();
  const { totals, by, tools } = analytics;
  const reasons = Object.entries(totals.endReasons).sort(([, one], [, other]) => (other ?? 0) - (one ?? 0));
  return (
    <>
      <div class="cards">
        <Bars
          title={sessions.outcome}
          filter="outcome"
          items={outcomes.map((code) => ({ code, name: codes.outcome[code], count: totals.outcomes[code] }))}
        />
        <Bars
          title={session.sentiment}
          filter="sentiment"
          items={sentiments.map((code) => ({ code, name: codes.sentiment[code], count: totals.sentiments[code] }))}
        />
        <Bars
          title={session.ended}
          filter="endReason"
          items={reasons.map(([code, count]) => ({ code, name: named(codes.endReason, code), count: count ?? 0 }))}
        />
      </div>
      {by.agent.length > 0 && <ByAgent shares={by.agent} />}
      {tools.length > 0 && <Tools tools={tools} />}
      <p class="hint">{overview.how}</p>
    </>
  );
}

interface BarsProps {
  title: string;
  /** Of the list of sessions: those behind a bar. */
  filter: string;
  items: { code: string; name: string; count: number }[];
}

function Bars({ title, filter, items }: BarsProps) {
  const { tenancy } = useHere();
  const { number } = useFormats();
  const { overview } = useWords();
  const shown = items.filter(({ count }) => count > 0);
  const most = Math.max(1, ...shown.map(({ count }) => count));
  return (
    <section class="card" aria-label={title}>
      <h2>{title}</h2>
      {shown.length === 0 && <p class="quiet">{overview.nothing}</p>}
      <ul class="bars">
        {shown.map(({ code, name, count }) => (
          <li key={code}>
            <a href={`/t/${tenancy.slug}/sessions?${filter}=${code}`}>{name}</a>
            <span class="figure">{number(count)}</span>
            <i aria-hidden="true" style={{ width: `${(100 * count) / most}%` }} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function ByAgent({ shares }: { shares: Analytics['by']['agent'] }) {
  const { overview, sessions } = useWords();
  const { tenancy } = useHere();
  const { number, percent } = useFormats();
  return (
    <section class="section" aria-labelledby="by-agent">
      <h2 id="by-agent">{overview.byAgent}</h2>
      <div class="table-box">
        <table class="rows">
          <thead>
            <tr>
              <th scope="col">{sessions.agent}</th>
              <th scope="col" class="figure">
                {overview.conversations}
              </th>
              <th scope="col" class="figure">
                {overview.resolved}
              </th>
              <th scope="col" class="figure">
                {overview.billed}
              </th>
              <th scope="col" class="figure">
                {overview.response} p50
              </th>
            </tr>
          </thead>
          <tbody>
            {shares.map(({ name, conversations, outcomes: came, billedSeconds, response }) => (
              <tr key={name}>
                <th scope="row">
                  <a class="row-link" href={`/t/${tenancy.slug}/agents/${name}`}>
                    {name}
                  </a>
                </th>
                <td class="figure" data-name={overview.conversations}>
                  {number(conversations)}
                </td>
                <td class="figure" data-name={overview.resolved}>
                  {conversations === 0 ? '–' : percent(came.resolved / conversations)}
                </td>
                <td class="figure" data-name={overview.billed}>
                  {duration(billedSeconds)}
                </td>
                <td class="figure" data-name="p50">
                  {response ? milliseconds(response.p50) : '–'}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

function Tools({ tools }: { tools: Analytics['tools'] }) {
  const { overview, session } = useWords();
  const { number } = useFormats();
  return (
    <section class="section" aria-labelledby="tool-figures">
      <h2 id="tool-figures">{session.tools}</h2>
      <div class="table-box">
        <table class="rows">
          <thead>
            <tr>
              <th scope="col">{overview.tool}</th>
              <th scope="col" class="figure">
                {overview.succeeded}
              </th>
              <th scope="col" class="figure">
                {overview.toolsFailed}
              </th>
              <th scope="col" class="figure">
                p50
              </th>
              <th scope="col" class="figure">
                p95
              </th>
            </tr>
          </thead>
          <tbody>
            {tools.map(({ tool, ok, failed, unknown, latency }) => (
              <tr key={tool}>
                <th scope="row">
                  <code>{tool}</code>
                </th>
                <td class="figure" data-name={overview.succeeded}>
                  {number(ok)}
                </td>
                <td class="figure" data-name={overview.toolsFailed}>
                  {number(failed + unknown)}
                </td>
                <td class="figure" data-name="p50">
                  {latency ? milliseconds(latency.p50) : '–'}
                </td>
                <td class="figure" data-name="p95">
                  {latency ? milliseconds(latency.p95) : '–'}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}
