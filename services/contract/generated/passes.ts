// Generated from schemas/ by `npm run generate`. Do not edit.

/**
 * Which versions of agents have passed their scenarios: what a pipeline hands to the installation.
 */
export interface PassesFile {
  /**
   * One for each agent of which every scenario passed.
   *
   * @maxItems 2000
   */
  passes: Pass[];
}
export interface Pass {
  /**
   * The agent's id.
   */
  agent: string;
  /**
   * Hash of the version that was tried.
   */
  versionHash: string;
  /**
   * Hash of the scenarios that it passed.
   */
  scenarioHash: string;
  /**
   * The model that it passed them on.
   */
  model: string;
}
