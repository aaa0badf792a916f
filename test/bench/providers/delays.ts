/** What each provider takes, every time. The speech of persons is not understood; only how long it lasted. */
export const delays = { recognitionMs: 100, modelMs: 250, synthesisMs: 120 };

/** Shorter speech is taken for "mm-hm". */
export const shortMs = 450;

/** How long a text sounds. */
export const soundMsOf = (text: string): number => text.length * 60;
