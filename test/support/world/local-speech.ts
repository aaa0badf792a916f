import { setUpLocalSpeech } from '../../../scripts/toolchain/speech.ts';

/** The variables with which services speak and hear on this machine; set up unless it is. */
export async function localSpeechVariables(): Promise<Record<string, string>> {
  const { variables, problems } = await setUpLocalSpeech(() => undefined);
  if (problems.length > 0) throw new Error(problems.join('\n'));
  return variables;
}
