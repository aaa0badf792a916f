import type { HealthPart, RunningRelease } from '../../../../contract/deployment-answers.ts';

type Part = HealthPart['part'];

/** What is said of whether the parts of the installation are there. */
export const serviceHealth = {
  title: 'Service health',
  intro: 'Whether everything is there that conversations need, as of now.',
  allWell: 'Everything is there',
  notAll: 'Something is missing',
  checked: 'Looked at',
  states: { ok: 'There', down: 'Missing', full: 'Full', unknown: 'Unknown' } satisfies Record<
    HealthPart['state'],
    string
  >,
  parts: {
    database: 'Database',
    rooms: 'Room server',
    hosts: 'Agent hosts',
    worker: 'Worker',
  } satisfies Record<Part, string>,
  does: {
    database: 'Keeps conversations, agents and people.',
    rooms: 'Carries what is said and written.',
    hosts: 'Run the agents that answer.',
    worker: 'Delivers webhooks, sums conversations up, and writes changes of files.',
  } satisfies Record<Part, string>,
  down: {
    database: 'Nothing works without it. Whoever runs this installation runs “parley doctor”.',
    rooms: 'No conversation begins. Whoever runs this installation runs “parley doctor”.',
    hosts: 'Whoever begins a conversation waits for an agent. A host must be started.',
    worker: 'Webhooks, summaries and changes wait, and are made up for once a worker runs. One must be started.',
  } satisfies Record<Part, string>,
  full: 'Nothing can be stored, and no conversation begins. Whoever runs this installation makes room on its disk.',
  unknown: 'The database tells of it, and does not answer.',
  figures: {
    postgres: 'PostgreSQL',
    hosts: 'Taking conversations',
    draining: 'About to leave',
    capacity: 'Conversations at a time',
    voiceCapacity: 'Of these spoken',
    silentSeconds: 'Last heard of, seconds ago',
  } as Record<string, string>,
  releases: {
    title: 'Releases',
    intro: 'What the running processes are made of. Two of a kind at once are a rollout under way.',
    none: 'No running process was told its release (see docs/settings.md).',
    processes: { api: 'API', worker: 'Worker', agent: 'Agent hosts' } satisfies Record<
      RunningRelease['process'],
      string
    >,
    running: (count: number) => `${count} running`,
  },
};
