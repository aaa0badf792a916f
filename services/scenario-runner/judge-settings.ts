import type { Variables } from '../process/variables.ts';
import { readSettings } from '../settings/read.ts';
import { type Judge, makeJudge } from './judge.ts';

/** Undefined where no model is named that judges. */
export function judgeFrom(env: Variables): Judge | undefined {
  const { judge } = readSettings('scenarios', env);
  if (!judge) return undefined;
  const { model, baseUrl, apiKey } = judge;
  // The key of OpenAI's account is for OpenAI only.
  const key = apiKey ?? (baseUrl ? undefined : env.OPENAI_API_KEY);
  return makeJudge({ model, ...(baseUrl && { baseUrl }), ...(key && { apiKey: key }) });
}
