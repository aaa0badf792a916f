import type { Owed } from '../../store/tables/owed.ts';

/** An owed write that is on its way to the disk of this machine. */
export interface Kept {
  /** Resolves when it survives this process; also when it could not be kept, which has been reported by then. */
  written: Promise<void>;
  /** The database has it, or has refused it. */
  forget(): void;
  /** This conversation tries no more: it is written as late evidence when the database is back. */
  leave(): void;
}

/** Keeps what conversations owe the database while that is away. */
export interface OwedKeeper {
  keep(owed: Owed): Kept;
  /** Nothing more is taken in until something is made up for. */
  readonly full: boolean;
}
