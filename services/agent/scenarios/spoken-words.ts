import type { WordsOutput } from '../conversation/output.ts';

/** Hears what the agent says in a turn; there is no room for it to say it in. */
export class SpokenWords implements WordsOutput {
  #said = '';

  onAttached(): void {}
  onDetached(): void {}
  flush(): void {}

  async captureText(chunk: string | { text: string }): Promise<void> {
    this.#said += typeof chunk === 'string' ? chunk : chunk.text;
  }

  begin(): void {
    this.#said = '';
  }

  get said(): string {
    return this.#said;
  }
}
