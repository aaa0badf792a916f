import type { IncomingMessage } from 'node:http';
import type { PassesFile } from '../contract/generated/passes.ts';
import { validatePassesFile } from '../contract/schemas.ts';
import { explainAll } from '../contract/wording.ts';
import { readSigned, type SignedRequestAnswer } from './signed-request.ts';

export interface ScenarioPassesOptions {
  /** Undefined: nobody may say what has passed. */
  secret: string | undefined;
  store: (passes: PassesFile['passes']) => Promise<void>;
  /** Lets the agents be judged again, although their source has not changed. */
  onStored: () => void;
}

/** For a pass of each of two thousand agents. */
const maxBytes = 1024 * 1024;

/**
 * What a pipeline has seen to pass: versions and scenarios by their hashes, so a pass speaks of exactly these and can be told
 * again without harm. Whoever knows the secret can let a version through that fails its scenarios; nothing else.
 */
export async function receivePasses(
  request: IncomingMessage,
  { secret, store, onStored }: ScenarioPassesOptions,
): Promise<SignedRequestAnswer> {
  if (secret === undefined)
    return { status: 404, code: 'not_found', message: 'Passes are not taken: give the worker a secret for them.' };
  const chunks: Buffer[] = [];
  const refused = await readSigned(request, { secret, maxBytes, onChunk: (chunk) => void chunks.push(chunk) });
  if (refused) return refused;
  const body = parse(Buffer.concat(chunks).toString('utf8'));
  if (!validatePassesFile(body)) {
    const [first] = explainAll(validatePassesFile.errors ?? []);
    return { status: 400, code: 'invalid_request', message: first?.message ?? 'The body is no list of passes.' };
  }
  const isStored = await store(body.passes).then(
    () => true,
    () => false,
  );
  if (!isStored)
    return { status: 503, code: 'unavailable', message: 'The passes could not be stored: send them again.' };
  onStored();
  return { status: 202, code: 'accepted', message: 'The passes are stored, and the agents are judged again.' };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
