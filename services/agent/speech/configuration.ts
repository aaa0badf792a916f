/** An agent that speaks by providers which this deployment cannot use as it is set up; the message names what is missing. */
export class SpeechNotConfigured extends Error {
  override readonly name = 'SpeechNotConfigured';
}
