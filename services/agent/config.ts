import type { Variables } from '../process/variables.ts';
import { readSettings } from '../settings/read.ts';
import type { SettingsOf } from '../settings/settings.ts';

export type AgentConfig = SettingsOf<'agent'>;

/** @throws ConfigurationError that names every variable at fault. */
export const readConfig = (variables: Variables): AgentConfig => readSettings('agent', variables);
