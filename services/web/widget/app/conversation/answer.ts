import { ApiProblem } from '../../../client/request.ts';

/**
 * The person's answer to the challenge of one beginning. They are asked once: the service takes what a refused attempt has shown again,
 * for some minutes, and says when it no longer does.
 * @param ask undefined: the agent asks for nothing
 */
export function answerOf(ask: (() => Promise<string | undefined>) | undefined) {
  let answer: string | undefined;
  let timesShown = 0;
  return {
    /** For the next attempt. @throws Error `challenge_required` when nobody solved it */
    async show(): Promise<string | undefined> {
      answer ??= await ask?.();
      timesShown += 1;
      return answer;
    },
    /** Whether the attempt was refused because the answer of an earlier one holds no more; the next attempt asks for another. */
    isWorn(error: unknown): boolean {
      const isRefused = error instanceof ApiProblem && error.code === 'challenge_required';
      if (!isRefused || timesShown < 2) return false;
      answer = undefined;
      timesShown = 0;
      return true;
    },
  };
}
