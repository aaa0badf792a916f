import { useQuery } from '@tanstack/preact-query';
import { useEffect, useId, useState } from 'preact/hooks';
import type { TagSetting } from '../../../../widget/shapes.ts';
import type { AgentShown } from '../../../account/account-api.ts';
import { useAccount, useHere } from '../../../account/use-account.ts';
import { CopyButton } from '../../../parts/copy-button.tsx';
import { Field } from '../../../parts/field.tsx';
import { Failed, Skeleton } from '../../../parts/states.tsx';
import { useWords } from '../../../words/use-words.ts';
import type { TenantPageProps } from '../../tenant-page-props.ts';
import { AgentFrame } from '../agent-frame.tsx';
import { type Chosen, policyOf, previewOf, tagOf } from './tag.ts';

/** How the widget of an agent is put on a website: chosen, seen, and copied. */
export function WidgetPage({ params: { agent = '' } }: TenantPageProps) {
  return <AgentFrame agent={agent}>{(shown) => <Configurator shown={shown} />}</AgentFrame>;
}

function Configurator({ shown }: { shown: AgentShown }) {
  const { api } = useAccount();
  const { tenancy } = useHere();
  const { widget: words } = useWords();
  const [chosen, setChosen] = useState<Chosen>({});
  const credentials = useQuery({
    queryKey: ['credentials', tenancy.id, shown.agent],
    queryFn: () => api.credentials(tenancy.id, shown.agent),
  });
  const deployment = useQuery({ queryKey: ['capabilities'], queryFn: api.capabilities });
  const error = credentials.error ?? deployment.error;
  if (error) return <Failed error={error} onAgain={() => void credentials.refetch()} />;
  if (!credentials.data || !deployment.data) return <Skeleton lines={10} />;
  const key = credentials.data.apiKey;
  if (!key) return <p class="quiet">{words.keyHidden}</p>;
  const rooms = (deployment.data.rooms as { url: string }).url;
  const { origin } = location;
  return (
    <div class="columns">
      <section class="card" aria-labelledby="widget-looks">
        <h2 id="widget-looks">{words.looks}</h2>
        <p class="quiet">{words.intro}</p>
        <Choices shown={shown} chosen={chosen} onChosen={setChosen} />
      </section>
      <div class="stack">
        <Preview address={previewOf(key, chosen)} />
        <Copied id="widget-tag" title={words.tag} how={words.tagHow} text={tagOf({ origin, key, chosen })} />
        <Copied
          id="widget-policy"
          title={words.policy}
          how={words.policyHow}
          text={policyOf(origin, rooms, shown.challenge?.provider)}
        />
      </div>
    </div>
  );
}

interface ChoicesProps {
  shown: AgentShown;
  chosen: Chosen;
  onChosen(chosen: Chosen): void;
}

function Choices({ shown, chosen, onChosen }: ChoicesProps) {
  const { widget: words } = useWords();
  const choose = (name: TagSetting) => (value: string) => onChosen({ ...chosen, [name]: value });
  const of = (name: TagSetting) => ({ name, value: chosen[name] ?? '', onValue: choose(name) });
  const language = shown.languages.find(({ code }) => code === chosen.language) ?? shown.languages[0];
  const text = (name: 'color' | 'title' | 'subtitle' | 'greeting' | 'consent' | 'target', maxLength: number) => (
    <Field
      label={words.settings[name]}
      {...(name === 'color' || name === 'consent' || name === 'target' ? { hint: words.hints[name] } : {})}
      maxLength={maxLength}
      value={chosen[name] ?? ''}
      onValue={choose(name)}
    />
  );
  return (
    <div class="form">
      <Choice {...of('mode')} options={words.modes} />
      <Choice
        {...of('language')}
        options={Object.fromEntries(shown.languages.map(({ code, name }) => [code, name]))}
        first={words.ofBrowser}
      />
      {language && language.voices.length > 0 && (
        <Choice {...of('voiceId')} options={Object.fromEntries(language.voices.map(({ id, name }) => [id, name]))} />
      )}
      <Choice {...of('position')} options={words.positions} />
      <Choice {...of('theme')} options={words.themes} />
      <Choice {...of('open')} options={words.opens} />
      {text('color', 7)}
      {text('title', 60)}
      {text('subtitle', 120)}
      {text('greeting', 1000)}
      {text('consent', 1000)}
      {text('target', 200)}
    </div>
  );
}

interface ChoiceProps {
  name: TagSetting;
  value: string;
  options: Readonly<Record<string, string>>;
  /** What stands where nothing is chosen. */
  first?: string;
  onValue(value: string): void;
}

function Choice({ name, value, options, first, onValue }: ChoiceProps) {
  const { widget: words } = useWords();
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{words.settings[name]}</label>
      <select id={id} value={value} onChange={(event) => onValue(event.currentTarget.value)}>
        <option value="">{first ?? words.ofFile}</option>
        {Object.entries(options).map(([code, label]) => (
          <option key={code} value={code}>
            {label}
          </option>
        ))}
      </select>
    </div>
  );
}

/** A page is not loaded anew with each letter. */
const settledMs = 500;

function Preview({ address }: { address: string }) {
  const { widget: words } = useWords();
  const [shown, setShown] = useState(address);
  useEffect(() => {
    const timer = setTimeout(() => setShown(address), settledMs);
    return () => clearTimeout(timer);
  }, [address]);
  return (
    <section class="card" aria-labelledby="widget-preview">
      <h2 id="widget-preview">{words.preview}</h2>
      <p class="quiet">{words.previewHow}</p>
      <iframe class="preview" key={shown} src={shown} title={words.preview} allow="microphone; autoplay" />
    </section>
  );
}

function Copied({ id, title, how, text }: { id: string; title: string; how: string; text: string }) {
  const { widget: words } = useWords();
  return (
    <section class="card" aria-labelledby={id}>
      <div class="card-head">
        <h2 id={id}>{title}</h2>
        <CopyButton text={text} label={words.copy(title)} />
      </div>
      <p class="quiet">{how}</p>
      <pre class="prompt">{text}</pre>
    </section>
  );
}
