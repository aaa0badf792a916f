import type { Logger } from 'pino';
import type { CompiledModel, ModelProvider } from '../../agent-files/definition/compiled.ts';
import { factsOf, keyName } from '../../agent-files/definition/provider-facts.ts';
import type { ModelFailure, ModelFailureKind } from './failure.ts';

export type ModelInUse = CompiledModel & { provider: ModelProvider };

/** Told by each conversation how its models did; agents' names are for the operator, who is to find the file. */
export interface ModelWatch {
  failed(agent: string, model: ModelInUse, failure: ModelFailure): void;
  answered(model: ModelInUse): void;
}

/** Facts of the line that says that a model does not answer. Whoever reads the log of a host reads them by these names. */
export interface ModelTrouble {
  agent: string;
  provider: string;
  model?: string;
  server?: string;
  /** The variable that holds its key; none is sent without one. */
  key?: string;
  kind: ModelFailureKind;
  statusCode?: number;
  /** What the provider or the connection said. */
  said: string;
}

export const modelFails = 'a model does not answer';
export const modelIsBack = 'a model answers again';

/** Logs once that a model does not answer, however many conversations ask it, and once that it does again; another kind of failure is told again. */
export function watchModels(logger: Pick<Logger, 'warn' | 'info'>): ModelWatch {
  const told = new Map<string, string>();
  return {
    failed: (agent, model, failure) => {
      // The conversation's own length, which the conversation sees to.
      if (failure.tooLong) return;
      const trouble = troubleOf(agent, model, failure);
      const nature = `${trouble.kind} ${trouble.statusCode}`;
      if (told.get(idOf(model)) === nature) return;
      told.set(idOf(model), nature);
      logger.warn(trouble, modelFails);
    },
    answered: (model) => {
      if (told.delete(idOf(model))) logger.info(whichOf(model), modelIsBack);
    },
  };
}

const troubleOf = (
  agent: string,
  model: ModelInUse,
  { kind, statusCode, message, cause }: ModelFailure,
): ModelTrouble => {
  const key = keyName(model.provider, model);
  return {
    agent,
    ...whichOf(model),
    ...(key !== undefined && { key }),
    kind,
    ...(statusCode !== undefined && { statusCode }),
    said: rootOf(cause) ?? message,
  };
};

function whichOf({ provider, name, baseUrl }: ModelInUse): Pick<ModelTrouble, 'provider' | 'model' | 'server'> {
  const facts = factsOf(provider);
  const model = name ?? facts?.model?.usual;
  const server = baseUrl ?? facts?.endpoint;
  return { provider, ...(model !== undefined && { model }), ...(server !== undefined && { server }) };
}

const idOf = (model: ModelInUse): string => JSON.stringify([whichOf(model), keyName(model.provider, model)]);

/** Libraries wrap what a connection failed of (ECONNREFUSED) in sentences that say less ("Connection error."); a provider that answered said it itself. */
function rootOf(cause: unknown): string | undefined {
  if (!(cause instanceof Error) || ('status' in cause && cause.status !== undefined)) return undefined;
  return rootOf(cause.cause) ?? codeOf(cause) ?? cause.message;
}

const codeOf = (error: Error): string | undefined =>
  'code' in error && typeof error.code === 'string' ? error.code : undefined;
