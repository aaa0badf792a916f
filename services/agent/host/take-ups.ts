import type { Lease } from '../../store/tables/hosts.ts';

type Which = Pick<Lease, 'session_id' | 'epoch'>;

/**
 * Sessions on their way to this host, by the epoch in which it got them: those whose rooms are being joined, and those that are kept for
 * a while after that failed. All of them count against the capacity, and only the former are joins: sessions that cannot be joined do
 * not keep a host from taking over those that can.
 */
export class TakeUps {
  readonly #joining = new Map<string, number>();
  readonly #keptBack = new Map<string, number>();

  get size(): number {
    return this.#joining.size + this.#keptBack.size;
  }

  /** Joins in flight: of first hosts (0) or of successors (1). */
  joins(kind: 0 | 1): number {
    return [...this.#joining.values()].filter((epoch) => (epoch > 1 ? 1 : 0) === kind).length;
  }

  /** False when it is on its way already. */
  begin({ session_id: session, epoch }: Which): boolean {
    if (this.#joining.has(session) || this.#keptBack.get(session) === epoch) return false;
    this.#joining.set(session, epoch);
    return true;
  }

  /** It is joined, or never will be. */
  joined({ session_id: session }: Which): void {
    this.#joining.delete(session);
  }

  keepBack({ session_id: session, epoch }: Which): void {
    this.#joining.delete(session);
    this.#keptBack.set(session, epoch);
  }

  /** It is anybody's; this host may have it again by now, in another epoch. */
  givenBack({ session_id: session, epoch }: Which): void {
    if (this.#keptBack.get(session) === epoch) this.#keptBack.delete(session);
  }
}
