import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { Media } from './media.ts';
import {
  type Address,
  type AnswerParts,
  answerTo,
  digestAnswer,
  format,
  header,
  type Message,
  newBranch,
  parse,
  randomId,
} from './message.ts';

/** What a phone does when it is called. */
export interface WhenCalled {
  /** 200 answers; 180 rings for ever; 0 says nothing at all; others refuse. */
  status: number;
  reason?: string;
  /** So long it rings before that. */
  afterMs?: number;
}

/** What a phone does when it is asked to call somebody else instead (REFER, RFC 3515). */
export interface WhenReferred {
  /** 202 takes it on. */
  status: number;
  /** What comes of it, such as 200 or 486; undefined: nothing is ever told. */
  outcome?: number;
}

export interface PhoneOptions {
  /** Who it is, as a trunk or a caller knows it: a number or a name. */
  user: string;
  /** By which it proves that it may call. */
  username?: string;
  password?: string;
}

/** A telephone in this process, on loopback: SIP over UDP, µ-law, keys. Everything that it says and hears is real. */
export class Phone implements AsyncDisposable {
  readonly #socket: Socket = createSocket('udp4');
  readonly #options: PhoneOptions;
  /** A socket that is closed forgets what it has not sent. */
  readonly #sending = new Set<Promise<void>>();
  readonly calls: PhoneCall[] = [];
  /** INVITEs that begin a call: what counts as being dialled. */
  invites = 0;
  whenCalled: WhenCalled = { status: 200 };
  whenReferred: WhenReferred = { status: 202, outcome: 200 };

  private constructor(options: PhoneOptions) {
    this.#options = options;
  }

  static async open(options: PhoneOptions): Promise<Phone> {
    const phone = new Phone(options);
    phone.#socket.bind(0, '127.0.0.1');
    await once(phone.#socket, 'listening');
    phone.#socket.on('message', (datagram, from) => phone.#receive(parse(datagram, from)));
    return phone;
  }

  get port(): number {
    return this.#socket.address().port;
  }

  get user(): string {
    return this.#options.user;
  }

  /** Begins a call to a number by way of what listens there. Wait for what comes of it: `call.state`. */
  async call(number: string, by: Address): Promise<PhoneCall> {
    const media = await Media.open();
    const callId = `${randomId()}@phone`;
    const call = new PhoneCall(this, media, {
      ...{ callId, address: by, sequence: 0 },
      target: `sip:${number}@${by.address}:${by.port}`,
      local: `<sip:${this.user}@127.0.0.1>;tag=${randomId()}`,
      remote: `<sip:${number}@${by.address}>`,
    });
    this.calls.push(call);
    call.invite();
    return call;
  }

  send(text: string, { address, port }: Address): void {
    const sent = new Promise<void>((resolve) => this.#socket.send(text, port, address, () => resolve()));
    this.#sending.add(sent);
    void sent.then(() => this.#sending.delete(sent));
  }

  answer(request: Message, parts: AnswerParts): void {
    const described: [string, string][] = parts.body ? [['Content-Type', 'application/sdp']] : [];
    const extra: [string, string][] = [['Contact', this.contact], ...described, ...(parts.extra ?? [])];
    this.send(answerTo(request, { ...parts, extra }), request.from);
  }

  get contact(): string {
    return `<sip:${this.user}@127.0.0.1:${this.port}>`;
  }

  /** The header that proves who calls; undefined for a phone without a password. */
  proof(challenge: string, uri: string): string | undefined {
    const { username = this.user, password } = this.#options;
    return password && digestAnswer(challenge, { method: 'INVITE', uri, username, password });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const call of this.calls) call.hangUp();
    await Promise.all(this.#sending);
    this.#socket.close();
  }

  #receive(message: Message): void {
    const call = this.calls.find(({ callId }) => callId === header(message, 'Call-ID'));
    if (message.status !== undefined) return call?.answered(message, message.status);
    if (message.method === 'INVITE' && !call) return void this.#called(message);
    if (call) return call.asked(message);
    if (message.method !== 'ACK') this.answer(message, { status: 481, reason: 'No such call' });
  }

  async #called(invite: Message): Promise<void> {
    this.invites += 1;
    const { status, reason = 'No', afterMs = 100 } = this.whenCalled;
    if (status === 0) return;
    const tag = randomId();
    const call = new PhoneCall(this, await Media.open(), {
      ...{ callId: header(invite, 'Call-ID'), address: invite.from, sequence: 100, invite, tag },
      target: /<([^>]+)>/.exec(header(invite, 'Contact'))?.[1] ?? '',
      local: `${header(invite, 'To')};tag=${tag}`,
      remote: header(invite, 'From'),
    });
    this.calls.push(call);
    this.answer(invite, { status: 180, reason: 'Ringing', tag });
    if (status === 180) return;
    setTimeout(() => (status === 200 ? call.pickUp() : call.refuse(status, reason)), afterMs);
  }
}

interface Dialogue {
  callId: string;
  address: Address;
  sequence: number;
  target: string;
  local: string;
  remote: string;
  /** Of a call to us. */
  invite?: Message;
  tag?: string;
}

/** One call of a phone. */
export class PhoneCall {
  readonly #phone: Phone;
  readonly #dialogue: Dialogue;
  readonly media: Media;
  state: 'ringing' | 'talking' | 'over' = 'ringing';
  /** Every answer to its INVITE, in order. */
  readonly answers: number[] = [];
  /** Monotonic milliseconds. */
  answeredAt: number | undefined;
  endedAt: number | undefined;
  endedBy: 'us' | 'them' | undefined;
  /** Where the other side wanted it to be called instead. */
  referredTo: string | undefined;
  #branch = '';
  #tried = false;

  constructor(phone: Phone, media: Media, dialogue: Dialogue) {
    this.#phone = phone;
    this.media = media;
    this.#dialogue = dialogue;
  }

  get callId(): string {
    return this.#dialogue.callId;
  }

  invite(proof: [string, string][] = []): void {
    const { target, local, remote, callId, address } = this.#dialogue;
    this.#dialogue.sequence += 1;
    this.#branch = newBranch();
    const headers: [string, string][] = [
      ...this.#headers('INVITE', { branch: this.#branch, from: local, to: remote, callId }),
      ...proof,
      ['Content-Type', 'application/sdp'],
    ];
    this.#phone.send(format(`INVITE ${target} SIP/2.0`, headers, this.media.description), address);
  }

  /** BYE of a call, CANCEL of one that rings, 603 of one to us that rings. */
  hangUp(): void {
    if (this.state === 'over') return;
    if (this.state === 'talking') this.#request('BYE');
    else if (this.#dialogue.invite) return this.refuse(603, 'Decline');
    else this.#cancel();
    this.#end('us');
  }

  pickUp(): void {
    const { invite, tag } = this.#dialogue;
    if (this.state !== 'ringing' || !invite) return;
    this.#talk(invite.body);
    this.#phone.answer(invite, { status: 200, reason: 'OK', ...(tag ? { tag } : {}), body: this.media.description });
  }

  refuse(status: number, reason: string): void {
    const { invite, tag } = this.#dialogue;
    if (this.state !== 'ringing' || !invite) return;
    this.#phone.answer(invite, { status, reason, ...(tag ? { tag } : {}) });
    this.#end('us');
  }

  /** What came back for a request of ours. */
  answered(message: Message, status: number): void {
    if (!header(message, 'CSeq').endsWith('INVITE')) return;
    this.answers.push(status);
    if (status < 200) return;
    this.#acknowledge(message, status);
    if (status < 300) return this.#connected(message);
    const challenge = header(message, 'Proxy-Authenticate') || header(message, 'WWW-Authenticate');
    const proof = this.#tried ? undefined : challenge && this.#phone.proof(challenge, this.#dialogue.target);
    if (!proof) return this.#end('them');
    this.#tried = true;
    this.invite([[status === 407 ? 'Proxy-Authorization' : 'Authorization', proof]]);
  }

  /** What the other side asks in this call. */
  asked(message: Message): void {
    const { invite, tag } = this.#dialogue;
    const ok = { status: 200, reason: 'OK', ...(tag ? { tag } : {}) };
    switch (message.method) {
      case 'ACK':
        return;
      case 'INVITE':
        if (this.state === 'talking') this.#phone.answer(message, { ...ok, body: this.media.description });
        return;
      case 'CANCEL':
        this.#phone.answer(message, ok);
        if (invite && this.state === 'ringing')
          this.#phone.answer(invite, { ...ok, status: 487, reason: 'Terminated' });
        return this.#end('them');
      case 'REFER':
        return this.#referred(message);
      case 'BYE':
        this.#phone.answer(message, ok);
        return this.#end('them');
      default:
        this.#phone.answer(message, ok);
    }
  }

  #connected(message: Message): void {
    const contact = /<([^>]+)>/.exec(header(message, 'Contact'))?.[1];
    this.#dialogue.remote = header(message, 'To');
    if (contact) this.#dialogue.target = contact;
    this.#talk(message.body);
  }

  #talk(description: string): void {
    if (this.state !== 'ringing') return;
    this.state = 'talking';
    this.answeredAt = performance.now();
    this.media.begin(description);
  }

  #end(by: 'us' | 'them'): void {
    if (this.state === 'over') return;
    this.state = 'over';
    this.endedAt = performance.now();
    this.endedBy = by;
    this.media.close();
  }

  #referred(message: Message): void {
    const { status, outcome } = this.#phone.whenReferred;
    this.referredTo = header(message, 'Refer-To');
    this.#phone.answer(message, { status, reason: status < 300 ? 'Accepted' : 'Declined' });
    if (status >= 300 || outcome === undefined) return;
    const tell = (subscription: string, line: string) =>
      this.#request('NOTIFY', {
        line,
        extra: [
          ['Event', 'refer'],
          ['Subscription-State', subscription],
        ],
      });
    tell('active', 'SIP/2.0 100 Trying');
    setTimeout(() => tell('terminated;reason=noresource', `SIP/2.0 ${outcome} ${outcome === 200 ? 'OK' : 'No'}`), 200);
  }

  #request(method: string, { line = '', extra = [] }: { line?: string; extra?: [string, string][] } = {}): void {
    const { target, local, remote, callId, address } = this.#dialogue;
    this.#dialogue.sequence += 1;
    const kind: [string, string][] = line ? [['Content-Type', 'message/sipfrag;version=2.0']] : [];
    const headers = this.#headers(method, { branch: newBranch(), from: local, to: remote, callId });
    this.#phone.send(format(`${method} ${target} SIP/2.0`, [...headers, ...extra, ...kind], line), address);
  }

  #cancel(): void {
    const { target, local, remote, callId, address } = this.#dialogue;
    const headers = this.#headers('CANCEL', { branch: this.#branch, from: local, to: remote, callId });
    this.#phone.send(format(`CANCEL ${target} SIP/2.0`, headers), address);
  }

  #acknowledge(message: Message, status: number): void {
    const { target, local, callId, address } = this.#dialogue;
    const branch = status < 300 ? newBranch() : this.#branch;
    const headers = this.#headers('ACK', { branch, from: local, to: header(message, 'To'), callId });
    this.#phone.send(format(`ACK ${target} SIP/2.0`, headers), address);
  }

  #headers(
    method: string,
    { branch, from, to, callId }: { branch: string; from: string; to: string; callId: string },
  ): [string, string][] {
    return [
      ['Via', `SIP/2.0/UDP 127.0.0.1:${this.#phone.port};branch=${branch};rport`],
      ['Max-Forwards', '70'],
      ['From', from],
      ['To', to],
      ['Call-ID', callId],
      ['CSeq', `${this.#dialogue.sequence} ${method}`],
      ['Contact', this.#phone.contact],
    ];
  }
}
