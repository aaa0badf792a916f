import type { ColdStart } from '../core/sessions/wait-for-host.ts';
import type { Variables } from '../process/variables.ts';
import { readSettings } from '../settings/read.ts';
import { type SettingsOf, settings } from '../settings/settings.ts';

export interface ApiConfig extends Omit<SettingsOf<'api'>, 'coldStart'> {
  /** How sessions wait where hosts go to zero; undefined: they are refused. */
  coldStart: ColdStart | undefined;
}

/** @throws ConfigurationError that names every variable at fault. */
export function readConfig(variables: Variables): ApiConfig {
  const { port, internalPort, openIdConnect, mail, publicUrl } = settings;
  const given = readSettings('api', variables, (all, fault) => {
    if (all.port === all.internalPort)
      fault(`${port.name} and ${internalPort.name} hold the same port: give each its own.`);
    if (all.openIdConnect && all.publicUrl === undefined)
      fault(
        `${openIdConnect.settings.issuer.name} needs ${publicUrl.name}: the identity provider sends people back there.`,
      );
    const { passwords, issuer } = openIdConnect.settings;
    if (!all.openIdConnect && variables[passwords.name] === 'refused')
      fault(`${passwords.name} refuses them and ${issuer.name} is missing: nobody could sign in.`);
    if (all.mail && all.publicUrl === undefined)
      fault(`${mail.settings.url.name} needs ${publicUrl.name}: letters have links to our pages.`);
  });
  return { ...given, coldStart: given.coldStart.seconds > 0 ? given.coldStart : undefined };
}
