import { type Judge, makeJudge } from './judge.ts';

/** PARLEY_JUDGE_MODEL names the judge's model, PARLEY_JUDGE_BASE_URL its server, PARLEY_JUDGE_API_KEY its key. Without the first there is none. */
export function judgeFrom(env: NodeJS.ProcessEnv): Judge | undefined {
  const { PARLEY_JUDGE_MODEL: model, PARLEY_JUDGE_BASE_URL: baseUrl, PARLEY_JUDGE_API_KEY: key } = env;
  if (!model) return undefined;
  // The key of OpenAI's account is for OpenAI only.
  const apiKey = key || (baseUrl ? undefined : env.OPENAI_API_KEY);
  return makeJudge({ model, ...(baseUrl && { baseUrl }), ...(apiKey && { apiKey }) });
}
