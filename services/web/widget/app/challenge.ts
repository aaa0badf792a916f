import { ApiProblem } from '../../client/request.ts';
import type { Settings } from '../shapes.ts';

/** Longer than anybody takes to tell traffic lights from other things. */
const longestMs = 120_000;

/**
 * What the visitor solved, for one beginning. The provider's program runs in a frame of the service's own origin, so that the page's policy needs to
 * allow neither it nor its address. @throws ApiProblem `challenge_required`
 */
export function solve(
  { provider, siteKey }: NonNullable<Settings['challenge']>,
  { origin, language, holder }: { origin: string; language: string; holder: ParentNode },
): Promise<string> {
  const frame = document.createElement('iframe');
  const query = new URLSearchParams({ provider, siteKey, language, parent: location.origin });
  frame.src = `${origin}/widget/challenge.html?${query}`;
  frame.className = 'challenge';
  frame.title = 'Challenge';
  return new Promise<string>((resolve, refuse) => {
    const done = () => {
      window.removeEventListener('message', hear);
      clearTimeout(timer);
      frame.remove();
    };
    const fail = () => {
      done();
      refuse(new ApiProblem(0, 'challenge_required', 'The challenge was not solved.'));
    };
    const hear = ({ source, origin: from, data }: MessageEvent<{ parley?: string; token?: string }>) => {
      if (source !== frame.contentWindow || from !== origin) return;
      if (data.parley === 'failed') return fail();
      if (data.parley !== 'solved' || typeof data.token !== 'string') return;
      done();
      resolve(data.token);
    };
    const timer = setTimeout(fail, longestMs);
    window.addEventListener('message', hear);
    holder.append(frame);
  });
}
