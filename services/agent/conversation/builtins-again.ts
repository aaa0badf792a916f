/** Built-in calls that a former host had begun: they touch nothing outside the conversation, so its successor does them. */
import { speechNeeds } from '../../contract/agents/speech-needs.ts';
import type { Database } from '../../store/database.ts';
import type { Lease } from '../../store/tables/hosts.ts';
import { type Conversing, runBuiltin } from './builtins.ts';
import { languageOf } from './language.ts';
import type { Loaded } from './loading.ts';
import { openSessionRecord } from './session-record.ts';
import type { RunTool } from './tool-guard.ts';

export interface BuiltinsAgain {
  run: RunTool;
  /** Whether the conversation is over once the turn that was interrupted is. */
  ends(): boolean;
}

/** To be used before the conversation goes on: it begins in the language that `loaded` has then. */
export function builtinsAgain(db: Database, lease: Lease, loaded: Loaded, outside: RunTool): BuiltinsAgain {
  let ends = false;
  const conversing: Conversing = {
    // Whatever was heard of the turn, it is gone on with and has room for a last word.
    spoke: () => false,
    endAfterTurn: () => {
      ends = true;
    },
    switchLanguage: async (code) => {
      await openSessionRecord(db, lease).setLanguage(code, speechNeeds(loaded.definition, code));
      loaded.session.language = code;
      return languageOf(loaded).name;
    },
  };
  const run: RunTool = (tool, args, call) =>
    tool.builtin ? runBuiltin(tool.builtin, args, conversing) : outside(tool, args, call);
  return { run, ends: () => ends };
}
