/** A stack that can't be made as it is written: its message says what to put right, so nobody needs to see where it was thrown. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
}
