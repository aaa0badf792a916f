import { anAddress, aText, aWholeNumber } from '../../process/environment.ts';
import { aPort } from '../forms.ts';
import { group, optional, setting } from '../setting.ts';

export const api = {
  port: setting({
    name: 'PARLEY_PORT',
    readBy: { api: 7800, start: 7800 },
    ...aPort,
    says: 'The API and, in development, the try-it page.',
  }),
  publicUrl: setting({
    name: 'PARLEY_PUBLIC_URL',
    readBy: { api: optional, commands: optional },
    holds: 'an address such as https://acme.example.com',
    parse: (text) => (/^https?:$/.test(new URL(text).protocol) ? new URL(text).origin : undefined),
    otherwise: 'no mail has a link, and people sign in by password only',
    says: 'Where people reach the API and its pages.',
  }),
  trustProxyHops: setting({
    name: 'PARLEY_TRUST_PROXY_HOPS',
    readBy: { api: 0 },
    holds: 'a number of proxies, 0 to 10',
    parse: aWholeNumber(0, 10),
    says: 'How many proxies in front of the API write X-Forwarded-For; 0 where clients connect directly.',
  }),
  redisUrl: setting({
    name: 'REDIS_URL',
    readBy: { api: optional },
    holds: 'redis://host:port or rediss://host:port',
    parse: anAddress('redis:', 'rediss:'),
    secret: true,
    otherwise: 'each replica counts for itself',
    says: 'Where several replicas count requests together.',
  }),
  challenges: group({
    turnstile: setting({
      name: 'PARLEY_TURNSTILE_SECRET',
      readBy: { api: optional },
      holds: 'the secret key that Cloudflare gave with the site key',
      parse: aText,
      secret: true,
      otherwise: 'agents that ask for a Turnstile challenge refuse',
      says: 'Verifies the answers to Cloudflare Turnstile challenges.',
    }),
    hcaptcha: setting({
      name: 'PARLEY_HCAPTCHA_SECRET',
      readBy: { api: optional },
      holds: 'the secret of the hCaptcha account',
      parse: aText,
      secret: true,
      otherwise: 'agents that ask for an hCaptcha challenge refuse',
      says: 'Verifies the answers to hCaptcha challenges.',
    }),
    verifyAt: setting({
      name: 'PARLEY_CHALLENGE_URL',
      readBy: { api: optional },
      holds: 'an address, https://… (http on this machine)',
      parse: anAddress('https:', 'http:'),
      notInStacks: "the providers' own addresses are the right ones",
      otherwise: "the providers' own addresses",
      says: 'Where answers to challenges are verified instead, by the same protocol (siteverify).',
    }),
  }),
  refusedKeysPerMinute: setting({
    name: 'PARLEY_REFUSED_KEYS_PER_MINUTE',
    readBy: { api: 180 },
    holds: 'a number of requests, 1 to 1000000',
    parse: aWholeNumber(1, 1_000_000),
    notInStacks: 'what is refused needs no more than what is served',
    says: 'Requests of an address whose key is refused; further ones get 429 before anybody looks at them.',
  }),
  coldStart: group({
    seconds: setting({
      name: 'PARLEY_COLD_START_SECONDS',
      readBy: { api: 0 },
      holds: 'a number of seconds, 0 to 600',
      parse: aWholeNumber(0, 600),
      says: 'How long a session waits for a host where hosts go to zero; 0: it is refused.',
    }),
    most: setting({
      name: 'PARLEY_COLD_START_SESSIONS',
      readBy: { api: 100 },
      holds: 'a number of sessions, 1 to 100000',
      parse: aWholeNumber(1, 100_000),
      says: 'How many sessions of a tenant wait so; further ones are refused.',
    }),
  }),
};
