import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import { listen } from '../../../services/process/listen.ts';

/**
 * What the provider does to a verification beside its work, each as documented or seen: `internal-error` and 5xx
 * (developers.cloudflare.com/turnstile/get-started/server-side-validation, "Error codes"), a page of its own network instead of JSON, silence.
 */
export type Manner = 'works' | 'internal-error' | 'server-error' | 'page' | 'silent';

/** Turnstile and hCaptcha, as far as they are used: verifies each answer once, by their protocol, and draws a box to press. */
export interface ChallengeProvider extends AsyncDisposable {
  /** Where answers are verified. */
  url: string;
  secret: string;
  manner: Manner;
  /** The codes of what was refused, and `passed`. */
  readonly verdicts: string[];
  /** That were named with the answers; Turnstile is told none. */
  readonly siteKeys: (string | null)[];
  /** An answer as a person gets it who solved the challenge. */
  solved(): string;
  /** A provider's script, for a page that is served it in the provider's name. */
  scriptOf(provider: 'turnstile' | 'hcaptcha'): string;
}

export async function startChallengeProvider(): Promise<ChallengeProvider> {
  const secret = `0x4AAA${randomBytes(16).toString('hex')}`;
  const given = new Set<string>();
  const taken = new Set<string>();
  const verdicts: string[] = [];
  const siteKeys: (string | null)[] = [];
  const server = createServer((req, res) => {
    if (req.method === 'GET') {
      const answer = provider.solved();
      return void res.writeHead(200, { 'access-control-allow-origin': '*' }).end(answer);
    }
    void bodyOf(req).then((text) => {
      const { manner } = provider;
      if (manner === 'silent') return;
      if (manner === 'server-error') return res.writeHead(502).end('Bad gateway');
      if (manner === 'page')
        return res.writeHead(200, { 'content-type': 'text/html' }).end('<html>Just a moment…</html>');
      const verdict = manner === 'internal-error' ? 'internal-error' : judge(new URLSearchParams(text));
      verdicts.push(verdict);
      siteKeys.push(new URLSearchParams(text).get('sitekey'));
      const said =
        verdict === 'passed' ? { success: true, 'error-codes': [] } : { success: false, 'error-codes': [verdict] };
      res.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(said));
    });
  });

  function judge(form: URLSearchParams): string {
    const answer = form.get('response');
    if (form.get('secret') !== secret) return form.has('secret') ? 'invalid-input-secret' : 'missing-input-secret';
    if (!answer) return 'missing-input-response';
    if (taken.has(answer)) return 'timeout-or-duplicate';
    if (!given.has(answer)) return 'invalid-input-response';
    taken.add(answer);
    return 'passed';
  }

  const port = await listen(server, { port: 0, bind: '127.0.0.1' });
  const url = `http://127.0.0.1:${port}/siteverify`;
  const provider: ChallengeProvider = {
    ...{ url, secret, verdicts, siteKeys, manner: 'works', scriptOf: (provider) => scriptOf(url, provider) },
    solved: () => {
      const answer = randomBytes(300).toString('base64url');
      given.add(answer);
      return answer;
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return provider;
}

async function bodyOf(req: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of req) parts.push(part);
  return Buffer.concat(parts).toString('utf8');
}

/** Like theirs it can be used some time after it was loaded, and finds only what is in the page itself. */
const scriptOf = (url: string, provider: 'turnstile' | 'hcaptcha'): string => `setTimeout(() => { window.${provider} = {
  render(into, { sitekey, callback }) {
    if (!document.documentElement.contains(into)) throw new Error('nothing to render into');
    const box = document.createElement('button');
    box.textContent = 'I am a person (' + sitekey + ')';
    box.onclick = async () => callback(await (await fetch(${JSON.stringify(url)})).text());
    into.append(box);
    return 'drawn';
  },
  remove() {},
}; }, 100);`;
