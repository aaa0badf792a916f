import { type Room, RpcError } from '@livekit/rtc-node';
import { PersonFault, type PersonFaultKind, type PersonQuestion } from '../tools/client.ts';

const { ErrorCode } = RpcError;

/** What the room's own errors mean to us; every other code is the application's own refusal. */
const kinds: Readonly<Record<number, PersonFaultKind>> = {
  [ErrorCode.UNSUPPORTED_METHOD]: 'no_handler',
  [ErrorCode.RECIPIENT_NOT_FOUND]: 'absent',
  [ErrorCode.RECIPIENT_DISCONNECTED]: 'absent',
  // Nothing said within seven seconds that the question had arrived.
  [ErrorCode.CONNECTION_TIMEOUT]: 'absent',
  [ErrorCode.RESPONSE_TIMEOUT]: 'timeout',
  [ErrorCode.REQUEST_PAYLOAD_TOO_LARGE]: 'too_long',
  [ErrorCode.RESPONSE_PAYLOAD_TOO_LARGE]: 'answer_too_long',
  [ErrorCode.APPLICATION_ERROR]: 'failed',
  [ErrorCode.UNSUPPORTED_SERVER]: 'failed',
  [ErrorCode.SEND_FAILED]: 'lost',
};

/**
 * Calls a method of the person's client: a packet that the room server hands to nobody else. The person is called by the
 * identity that the session knows, as the room's list of participants has them seconds late.
 *
 * @throws PersonFault
 */
export async function askPerson(
  room: Room,
  identity: string,
  { method, payload, timeoutMs }: PersonQuestion,
): Promise<string> {
  const self = room.localParticipant;
  if (!self) throw new PersonFault('lost');
  try {
    const question = { destinationIdentity: identity, method, payload, responseTimeout: timeoutMs };
    return (await self.performRpc(question)) ?? '';
  } catch (error) {
    if (!(error instanceof RpcError)) throw new PersonFault('lost');
    throw new PersonFault(kinds[Number(error.code)] ?? 'refused', error.message);
  }
}
