import { type RequestHandler, Router } from 'express';
import { listOfferedAgents } from '../../core/insight/offered-agents.ts';
import { locateTenant } from '../../store/tables/tenants.ts';
import { escaped, widgetTag } from '../http/widget-tag.ts';
import type { TryDeps } from './routes.ts';

/**
 * GET /try/sample: a page with the widget of an agent, as a customer's would have it. The page has one name of this machine and the script the other, so
 * that they are of two origins. `?agent=restaurant&theme=dark` chooses.
 */
export function samplePage(deps: TryDeps): Router {
  const router = Router();
  router.get('/sample', sample(deps));
  return router;
}

const sample =
  (deps: TryDeps): RequestHandler =>
  async (req, res) => {
    const tenant = await locateTenant(deps.db, deps.tenant);
    const agents = tenant ? await listOfferedAgents(deps, tenant) : [];
    const chosen = agents.find(({ agent }) => agent === req.query.agent) ?? agents[0];
    const port = (req.headers.host ?? '').replace(/^.*?(:\d+)?$/, '$1');
    const isNamed = /^localhost/i.test(req.headers.host ?? '');
    const script = `http://${isNamed ? '127.0.0.1' : 'localhost'}${port}/widget.js`;
    const tag = chosen && widgetTag(req, { script, apiKey: chosen.apiKey });
    const links = agents.map(
      ({ agent, name }) => `<li><a href="?agent=${encodeURIComponent(agent)}">${escaped(name)}</a></li>`,
    );
    // No policy of ours: it stands for a page of somebody else's.
    res.removeHeader('Content-Security-Policy');
    res.type('html').send(page(tag ?? '', links.join('')));
  };

const page = (tag: string, links: string): string => `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>A page with the widget · Parley</title>
<style>body{max-width:44rem;margin:3rem auto;padding:0 1.5rem;font:1rem/1.6 Georgia,serif}pre{overflow-x:auto;white-space:pre-wrap;overflow-wrap:anywhere;padding:1rem;border:1px solid #8888;border-radius:8px;font-size:.85rem}</style>
<main>
<h1>A page with the widget</h1>
<p>As a customer's page has it: of another origin than the service, with this tag and nothing else.</p>
<pre>${escaped(tag) || 'There is no agent yet.'}</pre>
<p>Agents:</p>
<ul>${links}</ul>
<p>Attributes can be tried in the address: <a href="?theme=dark&amp;color=%23b3261e&amp;position=bottom-left">?theme=dark&amp;color=%23b3261e&amp;position=bottom-left</a>.</p>
</main>
${tag}
</html>
`;
