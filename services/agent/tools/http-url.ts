import type { HttpToolCall } from '../../agent-files/definition/compiled.ts';
import type { Variables } from '../../process/variables.ts';

type Arguments = Readonly<Record<string, unknown>>;

/** The declaration cannot be used as it is; the message is for the operator's log, not for the model. */
export class ToolMisconfigured extends Error {
  override readonly name = 'ToolMisconfigured';
}

/** The arguments cannot be put into the address; the message is for the model. */
export class UnusableArgument extends Error {
  override readonly name = 'UnusableArgument';
}

const placeholder = /\{\{\s*([\w-]+)\s*\}\}/gu;

/**
 * The address of a call and the names of the arguments that it used up. Values are escaped, and cannot climb out of
 * their place: neither the host nor the folders above are theirs to choose, whatever a proxy on the way decodes.
 *
 * @throws ToolMisconfigured, UnusableArgument
 */
export function fillUrl(url: HttpToolCall['url'], args: Arguments, env: Variables): { url: string; used: Set<string> } {
  const template = templateOf(url, env);
  const used = new Set<string>();
  const filled = template.replace(placeholder, (_whole, name: string) => {
    used.add(name);
    return encodeURIComponent(textOf(name, Object.hasOwn(args, name) ? args[name] : undefined));
  });
  const [path = ''] = filled.split(/[?#]/u);
  // Of two arguments in one place, each may be harmless and both together climb.
  if (climbs(path)) throw new UnusableArgument('An argument is not a usable value for the address.');
  return { url: filled, used };
}

/** Rounds of decoding that are looked through: what is escaped more often than that, no chain of servers undoes. */
const mostDecoded = 4;

/**
 * Whether a part of the path is `.` or `..`, or breaks a line, as it is or once a server has decoded it; some servers read
 * `..;x` and fullwidth dots as `..`, too, and what a decoded `?` or `#` cuts off leaves `..` behind.
 */
function climbs(path: string): boolean {
  let text = path;
  for (let round = 0; round <= mostDecoded; round += 1) {
    text = text.normalize('NFKC');
    const segments = text.split(/[/\\]/u);
    if (segments.some((segment) => /^\s*\.{1,2}\s*(?:[;?#]|$)|\p{Cc}/u.test(segment))) return true;
    text = text.replace(/(?:%[0-9a-f]{2})+/giu, (escaped) => decoded(escaped));
  }
  return false;
}

function decoded(escaped: string): string {
  return Buffer.from(escaped.replaceAll('%', ''), 'hex').toString('utf8');
}

function templateOf(url: HttpToolCall['url'], env: Variables): string {
  const template = typeof url === 'string' ? url : `${baseOf(url.env, env)}/${url.path.replace(/^\/+/u, '')}`;
  const origin = /^https?:\/\/[^/?#]+/iu.exec(template)?.[0];
  if (!origin || origin.includes('{{')) throw new ToolMisconfigured('The host of a tool must be written out.');
  return template;
}

function baseOf(name: string, env: Variables): string {
  const base = env[name];
  if (!base) throw new ToolMisconfigured(`${name} is not set in the environment.`);
  return base.replace(/\/+$/u, '');
}

function textOf(name: string, value: unknown): string {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  // A lone surrogate is what encodeURIComponent would throw on; a control character is no part of any name or number.
  if (typeof value === 'string' && value !== '' && value.isWellFormed() && !/\p{Cc}/u.test(value)) return value;
  throw new UnusableArgument(`The argument "${name}" is missing or is not a usable value.`);
}
