/** What this deployment can do, field by field; what it can't says how to come by it. */
export const capabilities = {
  signIn: {
    password: { available: true },
    openIdConnect: { available: false, how: 'Not part of this version.' },
  },
  channels: {
    api: { available: true },
    widget: { available: true },
    phone: { available: false, how: 'Not part of this version.' },
  },
  calendars: { available: false, how: 'Not part of this version.' },
  mail: { available: false, how: 'Not part of this version: hand invitations on by their token.' },
  prompts: { available: false, how: "Not part of this version: change the agents' files in their repository." },
  limits: { requestsPerMinute: 180 },
} as const;
