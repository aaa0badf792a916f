/** Forty of the first two hundred, short ones, among which every class of fault is drawn at least five times (schedule.test.ts). */
export const committedSeeds: readonly number[] = [
  1, 3, 4, 8, 9, 11, 17, 19, 22, 26, 28, 33, 35, 36, 37, 38, 41, 43, 45, 46, 48, 49, 50, 52, 54, 59, 82, 87, 93, 95,
  103, 105, 110, 113, 137, 165, 173, 178, 194, 200,
];

/** The forty are among them. */
export const allSeeds: readonly number[] = Array.from({ length: 200 }, (_, index) => index + 1);
