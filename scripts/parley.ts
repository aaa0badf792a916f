/** `parley <noun> <verb>`: every command of authors and operators. Each is a file of `cli/`. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { openProgram } from './cli/program.ts';
import { runScript } from './toolchain/script.ts';

const dotEnv = join(import.meta.dirname, '../.env');
if (existsSync(dotEnv)) process.loadEnvFile(dotEnv);

const { run, failed } = await openProgram(process.argv.slice(2));
await runScript(run, { failed });
// Open connections of a model, and the threads of the native room client, keep nobody waiting.
process.exit();
