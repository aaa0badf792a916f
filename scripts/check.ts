/** `npm run check`: format, lint, import directions, types, generated code. Exits with 1 when something is wrong. */
import { failedChecks } from './toolchain/checks.ts';

const failed = await failedChecks();
process.exitCode = failed.length === 0 ? 0 : 1;
