/** Telephones that call by a SIP bridge, in a process of their own, which is the clock of all that they measure. */
import { spoken } from '../../support/people/speech-sound.ts';
import type { Address } from '../../support/phone/message.ts';
import { Phone, type PhoneCall } from '../../support/phone/phone.ts';
import { serve } from '../remote.ts';
import { type Taken, type Turns, takeTurns, when } from './turns.ts';

/** A turn without an answer by then is a missed one. */
const answerWithinMs = 3_000;
const answeredWithinMs = 30_000;
const question = 'Are you open on Sunday?';

export interface Dialled {
  /** From INVITE to 200. */
  setupMs: number[];
  failed: number;
}

export interface Dialling {
  number: string;
  by: Address;
  count: number;
}

let phone: Promise<Phone> | undefined;
let calls: PhoneCall[] = [];

const thePhone = () => (phone ??= Phone.open({ user: '+491701234567' }));

/** So many at once, which stay. */
async function dial({ number, by, count }: Dialling): Promise<Dialled> {
  const caller = await thePhone();
  const began = performance.now();
  const dialled = await Promise.all(Array.from({ length: count }, () => caller.call(number, by)));
  await when(() => dialled.every(({ state }) => state !== 'ringing') || undefined, answeredWithinMs);
  const answered = dialled.filter(({ state }) => state === 'talking');
  calls.push(...answered);
  return {
    setupMs: answered.map(({ answeredAt }) => (answeredAt ?? Number.NaN) - began),
    failed: count - answered.length,
  };
}

async function talk(turns: Turns): Promise<Taken> {
  const sound = await spoken(question);
  return takeTurns(calls, turns, async ({ media }) => {
    const until = media.play(sound);
    const heard = await when(() => media.firstVoiceAt(until), answerWithinMs);
    return heard && heard - until;
  });
}

async function hangUp(): Promise<void> {
  for (const call of calls) call.hangUp();
  calls = [];
}

export const commands = { dial, talk, hangUp };

serve(commands);
