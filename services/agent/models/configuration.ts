import type { ModelProvider } from '../../agent-files/definition/compiled.ts';

/** A model is declared that this deployment cannot use as it is set up; the message names what is missing. */
export class ModelNotConfigured extends Error {
  override readonly name: string = 'ModelNotConfigured';
}

/** A model of a provider is declared that this version of the service does not have. */
export class ProviderMissing extends ModelNotConfigured {
  override readonly name = 'ProviderMissing';
  readonly provider: ModelProvider;

  constructor(provider: ModelProvider) {
    super(`The model provider "${provider}" is not built in yet. Use "openai" (any compatible server) or "scripted".`);
    this.provider = provider;
  }
}
