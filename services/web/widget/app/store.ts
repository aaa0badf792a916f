import { type Fact, learn, nothingYet, type State } from './conversation/state.ts';

export interface Store {
  state(): State;
  learn(fact: Fact): void;
  /** Told at most once a frame, or four times a second where nobody looks. */
  onChange(heard: () => void): () => void;
  /** Told at once of each fact. */
  onFact(heard: (before: State, now: State, fact: Fact) => void): void;
}

const hiddenMs = 250;

/** Words come in pieces: what is drawn of them waits for the browser to draw. */
export function makeStore(): Store {
  let state = nothingYet;
  let isDue = false;
  const changed = new Set<() => void>();
  const facts = new Set<(before: State, now: State, fact: Fact) => void>();
  const tell = () => {
    isDue = false;
    for (const heard of changed) heard();
  };
  return {
    state: () => state,
    learn: (fact) => {
      const before = state;
      state = learn(state, fact);
      for (const heard of facts) heard(before, state, fact);
      if (isDue) return;
      isDue = true;
      if (document.hidden) setTimeout(tell, hiddenMs);
      else requestAnimationFrame(tell);
    },
    onChange: (heard) => {
      changed.add(heard);
      return () => void changed.delete(heard);
    },
    onFact: (heard) => void facts.add(heard),
  };
}
