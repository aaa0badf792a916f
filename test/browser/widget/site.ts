import { createServer } from 'node:http';
import { listen } from '../../../services/process/listen.ts';

/** A customer's website, of another origin than the service. */
export interface Site extends AsyncDisposable {
  origin: string;
  /** Puts a page on it. Gives its address. */
  page(html: string, headers?: Record<string, string>): string;
  /** A script of the page's own. Gives its address. */
  script(text: string): string;
}

/** Pages that tests make, on a port of their own. */
export async function startSite(): Promise<Site> {
  const pages = new Map<string, { html: string; headers: Record<string, string> }>();
  const server = createServer((req, res) => {
    const found = pages.get(new URL(req.url ?? '/', 'http://site').pathname);
    // Browsers ask for an icon of their own accord.
    const isIcon = req.url === '/favicon.ico';
    res.writeHead(found ? 200 : isIcon ? 204 : 404, { 'Content-Type': 'text/html; charset=utf-8', ...found?.headers });
    res.end(found?.html);
  });
  const add = (html: string, headers: Record<string, string>, ending: string) => {
    const path = `/${pages.size + 1}.${ending}`;
    pages.set(path, { html, headers });
    return `${origin}${path}`;
  };
  const port = await listen(server, { port: 0, bind: '127.0.0.1' });
  const origin = `http://127.0.0.1:${port}`;
  return {
    origin,
    page: (html, headers = {}) => add(html, headers, 'html'),
    script: (text) => add(text, { 'Content-Type': 'text/javascript' }, 'js'),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

export interface Tag {
  /** Of the service. */
  service: string;
  key: string;
  /** Further attributes, such as `data-theme="dark"`. */
  more?: string;
}

export const tag = ({ service, key, more = '' }: Tag): string =>
  `<script src="${service}/widget.js" data-agent-key="${key}" async ${more}></script>`;

/** A page as shops have it, with the widget's tag where `head` and `body` put it. */
export const shop = ({ head = '', body = '' }: { head?: string; body?: string }): string => `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>Corner shop</title>
<style>body{margin:0;font:16px/1.5 Georgia,serif;color:#222;background:#faf8f4}main{max-width:44rem;margin:0 auto;padding:2rem}
h1{font-size:2.4rem}img{max-width:100%}</style>${head}</head>
<body><main><h1>Corner shop</h1><p>Bread, cheese, and what goes with them. Open from nine to six.</p><p><a href="#order">Order</a> for tomorrow.</p></main>${body}</body>
</html>`;
