import { sha256 } from '../../sessions/ids.ts';

/** Of the call alone: whoever finds the call after a crash finds its room. Nothing in it says who is called. */
export const roomOfCall = (call: string) => `r_${sha256('room of a call', call).toString('base64url').slice(0, 22)}`;
