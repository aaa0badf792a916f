import type { TrunkChange, TrunkGiven, TrunkShown } from '../../account/account-api.ts';

/** A trunk as it stands in the form: text, whatever it becomes. */
export interface TrunkDraft {
  address: string;
  transport: TrunkShown['transport'];
  username: string;
  password: string;
  allowedAddresses: string;
  allowedPrefixes: string;
  maxDialsPerMinute: string;
  maxCallsPerDay: string;
  maxMinutesPerDay: string;
}

export const noTrunk: TrunkDraft = {
  ...{ address: '', transport: 'udp', username: '', password: '', allowedAddresses: '', allowedPrefixes: '' },
  ...{ maxDialsPerMinute: '0', maxCallsPerDay: '0', maxMinutesPerDay: '0' },
};

export const draftOf = (trunk: TrunkShown): TrunkDraft => ({
  address: trunk.address,
  transport: trunk.transport,
  username: trunk.username ?? '',
  password: trunk.password?.env ?? '',
  allowedAddresses: trunk.allowedAddresses.join('\n'),
  allowedPrefixes: trunk.allowedPrefixes.join('\n'),
  maxDialsPerMinute: String(trunk.maxDialsPerMinute),
  maxCallsPerDay: String(trunk.maxCallsPerDay),
  maxMinutesPerDay: String(trunk.maxMinutesPerDay),
});

const linesOf = (text: string): string[] => text.split(/[\s,]+/).filter(Boolean);

/** What the API is given of a new one. A user name and a password that are empty are left out. */
export const givenOf = (draft: TrunkDraft): TrunkGiven => ({
  address: draft.address.trim(),
  transport: draft.transport,
  ...(draft.username.trim() ? { username: draft.username.trim() } : {}),
  ...(draft.password.trim() ? { password: { env: draft.password.trim() } } : {}),
  allowedAddresses: linesOf(draft.allowedAddresses),
  allowedPrefixes: linesOf(draft.allowedPrefixes),
  maxDialsPerMinute: Number(draft.maxDialsPerMinute),
  maxCallsPerDay: Number(draft.maxCallsPerDay),
  maxMinutesPerDay: Number(draft.maxMinutesPerDay),
});

/** What it is given of one that there is: a user name and a password that were emptied are taken away. */
export const changeOf = (draft: TrunkDraft): TrunkChange => {
  const given = givenOf(draft);
  return given.username || given.password ? given : { ...given, byPassword: false };
};
