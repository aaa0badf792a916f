import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sql } from '../../../services/store/sql.ts';
import { eventually } from '../../support/eventually.ts';
import { spoken } from '../../support/people/speech-sound.ts';
import { lineOf, spokenTranscript } from '../../support/people/spoken-transcript.ts';
import { type Listener, openListener } from '../../support/people/understood.ts';
import { Phone, type PhoneCall } from '../../support/phone/phone.ts';
import { addNumber, addTrunk, bridgeKnows, startTelephone, type Telephone } from '../../support/phone/telephone.ts';
import { addAgents } from '../../support/world/agent-files.ts';
import { localSpeechVariables } from '../../support/world/local-speech.ts';

let telephone: Telephone;
let listener: Listener;
let byAddress: string;

const english = '+4930100001';
const caller = '+491701234567';

interface StoredCall {
  session_id: string;
  state: string;
  answered_at: Date | null;
  ended_at: Date | null;
  hung_up_by: string | null;
  end_reason: string | null;
  billed_seconds: number | null;
  started_at: Date | null;
}

beforeAll(async () => {
  const variables = await localSpeechVariables();
  listener = openListener(variables, {
    en: ['welcome to the echo', 'welcome to the hotel', 'hello to you', 'hello to me'],
    de: ['willkommen beim echo', 'willkommen beim essen', 'bitte sehr'],
  });
  telephone = await startTelephone({ workers: 1 });
  await addAgents(telephone.world, {
    polite: {
      script: {
        fallback: { en: 'Pardon?', de: 'Wie bitte?' },
        rules: [
          { when: '^hello my friend$', language: 'en', say: 'Hello to you.' },
          { when: '^goodbye$', language: 'en', say: 'Goodbye!', end: true },
        ],
      },
    },
  });
  byAddress = await addTrunk(telephone.world);
  await addNumber(telephone.world, { number: english, trunk_id: byAddress, agent: 'polite' });
  await bridgeKnows(telephone, english);
});

afterAll(async () => {
  await telephone?.[Symbol.asyncDispose]();
  await listener?.[Symbol.asyncDispose]();
});

/** A call, from when it rings. */
async function dial(phone: Phone, number: string): Promise<PhoneCall> {
  const call = await phone.call(number, telephone.bridge.sip);
  await eventually('it rings', () => call.answers.includes(180));
  return call;
}

const talking = (call: PhoneCall) => eventually('the agent answers', () => call.state === 'talking');
const over = (call: PhoneCall) => eventually('the call is over', () => call.state === 'over');

/** The agent has said something since then, and says nothing more. */
const fallsSilent = (call: PhoneCall, since: number) =>
  eventually('the agent has spoken', () => {
    const last = call.media.lastVoiceAt(since);
    return last !== undefined && performance.now() - last > 1_200;
  });

const stored = (number: string) =>
  eventually('the call is stored as over', async () => {
    const rows = await telephone.world.admin.query<StoredCall>(sql`
      select c.*, s.end_reason, s.billed_seconds, s.started_at from calls c join sessions s on s.id = c.session_id
      where c.number = ${number} order by c.asked_at desc limit 1`);
    return rows[0]?.ended_at ? rows[0] : undefined;
  });

describe('somebody calls a number', () => {
  test('the agent of the number answers aloud, understands, and is billed from the answer to the hang-up', async () => {
    using phone = await Phone.open({ user: caller });
    const call = await dial(phone, english);
    await talking(call);
    await fallsSilent(call, 0);
    expect(await listener.understands(call.media.heard(0), 'en')).toBe('welcome to the echo');
    const since = call.media.play(await spoken('hello my friend'));
    await fallsSilent(call, since);
    expect(await listener.understands(call.media.heard(since), 'en')).toBe('hello to you');
    call.hangUp();
    const { session_id: session, ...row } = await stored(english);
    expect(row).toMatchObject({ state: 'ended', hung_up_by: 'person', end_reason: 'call_ended' });
    const talkedMs = (call.endedAt ?? 0) - (call.answeredAt ?? 0);
    expect(Math.abs((row.billed_seconds ?? 0) - talkedMs / 1_000)).toBeLessThan(1.5);
    expect(row.answered_at?.getTime()).toBe(row.started_at?.getTime());
    expect((await spokenTranscript(telephone.world, session, 3)).map(lineOf)).toEqual([
      'ASSISTANT VOICE: Welcome to the echo.',
      'USER VOICE: hello my friend',
      'ASSISTANT VOICE: Hello to you.',
    ]);
  });

  test('the agent hangs up, and the call is over', async () => {
    using phone = await Phone.open({ user: caller });
    const call = await dial(phone, english);
    await talking(call);
    await fallsSilent(call, 0);
    call.media.play(await spoken('goodbye'));
    await over(call);
    expect(call.endedBy).toBe('them');
    expect(await stored(english)).toMatchObject({ state: 'ended', hung_up_by: 'agent', end_reason: 'agent_ended' });
  });
});
