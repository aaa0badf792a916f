import { aText, oneOf } from '../../process/environment.ts';
import { logLevels } from '../../process/log-levels.ts';
import { aPort } from '../forms.ts';
import { optional, setting } from '../setting.ts';

export const everyProcess = {
  environment: setting({
    name: 'PARLEY_ENVIRONMENT',
    readBy: { api: 'production', agent: 'production', worker: 'production', commands: optional },
    holds: '"development" or "production"',
    parse: oneOf('development', 'production'),
    says: 'In development tools, webhooks and Git hosts may be on this machine, and the API serves the try-it page.',
  }),
  logLevel: setting({
    name: 'PARLEY_LOG_LEVEL',
    readBy: { api: 'info', agent: 'info', worker: 'info' },
    holds: `one of ${logLevels.join(', ')}`,
    parse: oneOf(...logLevels),
    says: 'The least level that is logged.',
  }),
  release: setting({
    name: 'PARLEY_RELEASE',
    readBy: { api: optional, agent: optional, worker: optional },
    holds: 'at most 100 characters',
    parse: (text) => (text.length <= 100 ? text : undefined),
    otherwise: 'nothing is told',
    says: "What runs: a version, a commit or an image's digest. The dashboard tells operators of which release the running processes are.",
  }),
  bind: setting({
    name: 'PARLEY_BIND',
    readBy: { api: '127.0.0.1', agent: '127.0.0.1', worker: '127.0.0.1' },
    holds: 'an address to listen on, such as 0.0.0.0',
    parse: aText,
    says: 'The address that the ports listen on.',
  }),
  internalPort: setting({
    name: 'PARLEY_INTERNAL_PORT',
    readBy: { api: 7801, agent: 7802, worker: 7803, 'health check': 7801, start: 7801 },
    ...aPort,
    says: 'Probes, metrics and what other processes tell; never public. `npm start` takes the ports after it too.',
  }),
};
