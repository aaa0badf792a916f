import { accessSync, constants } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';

/** Whether this program can be run, by its absolute path or by its name on PATH. */
export function onPath(program: string, env: Readonly<Record<string, string | undefined>>): boolean {
  const places = isAbsolute(program)
    ? [program]
    : (env.PATH ?? '').split(delimiter).map((folder) => join(folder, program));
  return places.some(isExecutable);
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
