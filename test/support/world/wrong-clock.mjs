// What time it is, for a process with a wrong clock: imported before its program, it is off by so many milliseconds.
const offMs = Number(process.env.TEST_CLOCK_OFF_MS ?? 0);
const RightDate = Date;

globalThis.Date = class extends RightDate {
  constructor(...parts) {
    super(...(parts.length === 0 ? [RightDate.now() + offMs] : parts));
  }

  static now() {
    return RightDate.now() + offMs;
  }
};
