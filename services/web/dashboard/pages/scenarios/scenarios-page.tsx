import { useQuery, useQueryClient } from '@tanstack/preact-query';
import { isAtLeast } from '../../../../contract/roles.ts';
import type { Scenarios } from '../../account/account-api.ts';
import { useAccount, useHere } from '../../account/use-account.ts';
import { Badge, type Tone } from '../../parts/badge.tsx';
import { Page } from '../../parts/page.tsx';
import { Empty, Failed, Skeleton } from '../../parts/states.tsx';
import { useSubmit } from '../../parts/use-submit.ts';
import { When } from '../../parts/when.tsx';
import { useWords } from '../../words/use-words.ts';

/** While scenarios run they are looked at so often. */
const runningEveryMs = 1_500;

/** What must go well with each agent, and whether it does. */
export function ScenariosPage() {
  const { api } = useAccount();
  const { tenancy } = useHere();
  const { scenarios: words, nav } = useWords();
  const { data, error, refetch } = useQuery({
    queryKey: ['scenarios', tenancy.id],
    queryFn: () => api.scenarios(tenancy.id),
    refetchInterval: ({ state }) => (state.data?.items.some(({ isRunning }) => isRunning) ? runningEveryMs : false),
  });
  return (
    <Page title={nav.scenarios} intro={words.intro}>
      {error && <Failed error={error} onAgain={() => void refetch()} />}
      {!data && !error && <Skeleton lines={8} />}
      {data?.items.length === 0 && (
        <Empty title={words.none}>
          <p class="quiet">{words.noneHow}</p>
          <a class="button" href={`/t/${tenancy.slug}/sessions`}>
            {words.toSessions}
          </a>
        </Empty>
      )}
      {data?.items.map((item) => (
        <OfAgent key={item.agent} item={item} />
      ))}
    </Page>
  );
}

function OfAgent({ item }: { item: Scenarios }) {
  const { tenancy } = useHere();
  const { scenarios: words } = useWords();
  const { agent, version, isRunning, problem, scenarios, passes } = item;
  const [last] = passes;
  return (
    <section class="card" aria-label={agent}>
      <div class="card-head">
        <h2>
          <a href={`/t/${tenancy.slug}/agents/${agent}`}>{agent}</a>
        </h2>
        {isRunning && <Badge tone="busy">{words.running}</Badge>}
        {isAtLeast(tenancy.role, 'editor') && <Run agent={agent} disabled={isRunning || version === null} />}
      </div>
      {problem && <p class="faults">{problem}</p>}
      <ul class="scenarios">
        {scenarios.map((scenario, index) => (
          <OneScenario key={index} scenario={scenario} />
        ))}
      </ul>
      {last ? <Passes passes={passes} /> : <p class="quiet">{words.neverPassed}</p>}
    </section>
  );
}

function Run({ agent, disabled }: { agent: string; disabled: boolean }) {
  const { api } = useAccount();
  const { tenancy } = useHere();
  const { scenarios: words } = useWords();
  const queries = useQueryClient();
  const { busy, error, submit } = useSubmit(async () => {
    await api.runScenarios(tenancy.id, agent);
    await queries.invalidateQueries({ queryKey: ['scenarios', tenancy.id] });
  });
  return (
    <>
      {error !== undefined && <Failed error={error} />}
      <button type="button" disabled={disabled || busy} onClick={() => void submit()}>
        {words.run}
      </button>
    </>
  );
}

type Scenario = Scenarios['scenarios'][number];

const tones: Record<Scenario['results'][number]['outcome'], Tone> = { passed: 'good', failed: 'bad', skipped: 'plain' };

function OneScenario({ scenario: { name, language, said, live, results } }: { scenario: Scenario }) {
  const { scenarios: words, session } = useWords();
  const [last] = results;
  return (
    <li>
      <details>
        <summary>
          {last ? (
            <Badge tone={tones[last.outcome]}>{words.outcomes[last.outcome]}</Badge>
          ) : (
            <Badge tone="plain">{live ? words.live : words.notRun}</Badge>
          )}{' '}
          {name}
        </summary>
        {language && <p class="quiet">{language}</p>}
        <ol class="lines">
          {said.map((text, turn) => (
            <li class="line" data-from="person" key={turn}>
              <p class="line-head">
                <strong>{session.person}</strong>
              </p>
              <p class="words">{text}</p>
              {last?.failures
                .filter((failure) => failure.turn === turn + 1)
                .map((failure) => (
                  <Failure key={failure.expected} failure={failure} />
                ))}
            </li>
          ))}
        </ol>
        {last?.failures
          .filter(({ turn }) => turn === null)
          .map((failure) => (
            <Failure key={failure.expected} failure={failure} />
          ))}
        {results.map(({ model, runs, passes, runAt }) => (
          <p class="quiet" key={model}>
            {words.runs(passes, runs, model)} · <When at={runAt} />
          </p>
        ))}
      </details>
    </li>
  );
}

function Failure({ failure: { expected, got } }: { failure: Scenario['results'][number]['failures'][number] }) {
  const { scenarios: words } = useWords();
  return (
    <dl class="faults">
      <dt>{words.expected}</dt>
      <dd>{expected}</dd>
      <dt>{words.got}</dt>
      <dd>{got}</dd>
    </dl>
  );
}

/** Which versions passed all of them, told by a worker or by a pipeline. */
function Passes({ passes }: { passes: Scenarios['passes'] }) {
  const { scenarios: words, agents } = useWords();
  return (
    <div class="table-box flat">
      <table class="small">
        <caption class="visually-hidden">{words.passes}</caption>
        <thead>
          <tr>
            <th scope="col">{words.passes}</th>
            <th scope="col">{agents.model}</th>
            <th scope="col">{words.passedAt}</th>
          </tr>
        </thead>
        <tbody>
          {passes.map(({ version, model, passedAt, isOfThese }) => (
            <tr key={`${version} ${model} ${passedAt}`}>
              <th scope="row">
                <code>{version}</code> {!isOfThese && <span class="quiet">{words.earlier}</span>}
              </th>
              <td>{model}</td>
              <td>
                <When at={passedAt} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
