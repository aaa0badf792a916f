/** A model is declared that this deployment cannot use as it is set up; the message names what is missing. */
export class ModelNotConfigured extends Error {
  override readonly name: string = 'ModelNotConfigured';
}

/** A model of a provider is declared that this release does not have; validation refuses it, and a version stored by another release may name it. */
export class ProviderMissing extends ModelNotConfigured {
  override readonly name = 'ProviderMissing';
  readonly provider: string;

  constructor(provider: string) {
    super(`The model provider "${provider}" is not built in yet. Use "openai" (any compatible server) or "scripted".`);
    this.provider = provider;
  }
}
