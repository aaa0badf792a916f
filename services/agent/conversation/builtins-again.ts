/** Built-in calls that a former host had begun: they touch nothing outside the conversation, so its successor does them. */
import type { Conversing } from '../../agent-files/builtin-tools/builtin-tool.ts';
import { type Abilities, abilitiesElsewhere } from '../../agent-files/builtin-tools/registry.ts';
import type { Database } from '../../store/database.ts';
import type { Lease } from '../../store/tables/hosts.ts';
import { runBuiltin } from './builtins.ts';
import { type CanSpeak, switchLanguage } from './language.ts';
import type { Loaded } from './loading.ts';
import { openSessionRecord } from './session-record.ts';
import type { RunTool } from './tool-guard.ts';

export interface BuiltinsAgain {
  run: RunTool;
  /** Whether the conversation is over once the turn that was interrupted is. */
  ends(): boolean;
}

/** To be used before the conversation goes on: it begins in the language that `loaded` has then. */
export function builtinsAgain(
  { db, canSpeak }: { db: Database; canSpeak: CanSpeak },
  lease: Lease,
  loaded: Loaded,
  outside: RunTool,
): BuiltinsAgain {
  let ends = false;
  const conversing: Conversing & Abilities = {
    // Whatever was heard of the turn, it is gone on with and has room for a last word.
    spoke: () => false,
    endAfterTurn: () => {
      ends = true;
    },
    switchLanguage: (code) => {
      const isSpoken = loaded.session.interaction_mode === 'VOICE';
      return switchLanguage({ loaded, record: openSessionRecord(db, lease), isSpoken, canSpeak }, code);
    },
    // Nobody knows what came of a transfer, which only a version of before would begin anew, and a telephone's menu has gone on.
    ...abilitiesElsewhere,
  };
  const run: RunTool = (tool, args, call) =>
    tool.builtin ? runBuiltin(tool.builtin, args, conversing) : outside(tool, args, call);
  return { run, ends: () => ends };
}
