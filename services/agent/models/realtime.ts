import { realtimeProviderOf } from '../../agent-files/definition/model-choice.ts';
import { providers } from '../providers/registry.ts';
import { ProviderMissing } from './configuration.ts';
import type { ConnectRealtime } from './realtime-session.ts';

/** Loaded as the host starts, like models of text. */
const connectors: ReadonlyMap<string, ConnectRealtime> = new Map(
  await Promise.all(
    providers.flatMap(({ name, realtime }) =>
      realtime ? [realtime.load().then(({ connect }) => [name, connect] as const)] : [],
    ),
  ),
);

/**
 * Connects to the agent's speech-to-speech model. It notices when the person has finished and writes down what they said,
 * but answers only when it is asked to: nothing is answered that is not stored.
 * @throws SpeechNotConfigured when its key is missing
 */
export const connectRealtime: ConnectRealtime = (definition, choice, env) => {
  const provider = realtimeProviderOf(definition);
  const connect = connectors.get(provider);
  if (!connect) throw new ProviderMissing(provider);
  return connect(definition, choice, env);
};
