/** What a provider's plugin is made from; keys are values here. */
export interface RecognitionSettings {
  apiKey: string;
  baseUrl: string | undefined;
  model: string | undefined;
  language: string;
  keywords: readonly string[];
}

export interface SynthesisSettings {
  apiKey: string;
  baseUrl: string | undefined;
  model: string | undefined;
  /** The provider's own name of it. */
  voice: string | undefined;
  language: string;
  speed: number;
}
