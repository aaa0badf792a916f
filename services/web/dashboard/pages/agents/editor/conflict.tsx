import { Failed, Skeleton } from '../../../parts/states.tsx';
import { useWords } from '../../../words/use-words.ts';
import { Diff } from '../version-page.tsx';
import { KeepOrTake } from './keep-or-take.tsx';
import { usePreview } from './preview.tsx';

interface Props {
  agent: string;
  /** What stands in the file now. */
  theirs: string;
  /** What the person has written on an earlier one. */
  mine: string;
  onKeepMine(): void;
  onTakeTheirs(): void;
}

/** Somebody else was faster: both texts, what tells them apart, and which of them it goes on with. */
export function Conflict({ agent, theirs, mine, onKeepMine, onTakeTheirs }: Props) {
  const { editor } = useWords();
  const { data, error } = usePreview(agent, mine);
  return (
    <>
      <section class="problem conflict" aria-labelledby="conflict" role="alert">
        <h2 id="conflict">{editor.conflict}</h2>
        <p>{editor.conflictHow}</p>
      </section>
      <div class="halves">
        <section class="card" aria-labelledby="theirs">
          <h2 id="theirs">{editor.theirs}</h2>
          <pre class="prompt">{theirs}</pre>
        </section>
        <section class="card" aria-labelledby="mine">
          <h2 id="mine">{editor.mine}</h2>
          <pre class="prompt">{mine}</pre>
        </section>
      </div>
      <section class="card" aria-labelledby="between">
        <h2 id="between">{editor.between}</h2>
        {error && <Failed error={error} />}
        {data ? <Diff lines={data.lines} /> : <Skeleton lines={4} />}
        <KeepOrTake {...{ onKeepMine, onTakeTheirs }} />
      </section>
    </>
  );
}
