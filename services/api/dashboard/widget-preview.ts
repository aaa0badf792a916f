import type { RequestHandler } from 'express';
import helmet from 'helmet';
import { problems } from '../../contract/problems.ts';
import { widgetTag } from '../http/widget-tag.ts';

/** Whose challenges an agent may ask for (services/web/widget/app/challenge.ts). */
const challenges = ['https://challenges.cloudflare.com', 'https://hcaptcha.com', 'https://*.hcaptcha.com'];

/**
 * GET /widget-preview: a customer's page with the widget, for the configurator to show in a frame. `?key=pk_…` is the agent's key, the rest
 * the tag's attributes. Nothing is shown that whoever asks has not said; a conversation that is held there is one like any other.
 * @param wsUrl of the room server
 */
export function widgetPreview(wsUrl: string): RequestHandler[] {
  const rooms = [wsUrl, wsUrl.replace(/^ws/, 'http')];
  return [
    helmet({
      contentSecurityPolicy: {
        useDefaults: false,
        directives: {
          defaultSrc: ["'none'"],
          scriptSrc: ["'self'", ...challenges],
          connectSrc: ["'self'", ...rooms, ...challenges],
          frameSrc: challenges,
          styleSrc: ["'unsafe-inline'", ...challenges],
          imgSrc: ["'self'", 'data:'],
          mediaSrc: ["'self'", 'blob:'],
          frameAncestors: ["'self'"],
        },
      },
      xFrameOptions: false,
      strictTransportSecurity: false,
    }),
    (req, res) => {
      const { key } = req.query;
      if (typeof key !== 'string' || !/^pk_[\w-]{43}$/.test(key)) throw problems.invalidApiKey();
      req.routePattern = '/widget-preview';
      res.setHeader('Cache-Control', 'no-store');
      res.type('html').send(page(widgetTag(req, { script: '/widget.js', apiKey: key })));
    },
  ];
}

/** Lines where a page has its text: what it says is the customer's. */
const page = (tag: string): string => `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>A page with the widget</title>
<style>
body{margin:0;padding:1.5rem}
i{display:block;height:.75rem;margin:0 0 .75rem;border-radius:4px;background:#8883}
#place{height:32rem}#place:empty{display:none}
i:first-of-type{width:40%;height:1.5rem}i:nth-of-type(3n){width:82%}i:nth-of-type(4n){width:64%}
</style>
<main aria-hidden="true">${'<i></i>'.repeat(11)}</main>
<div id="place"></div>
${tag}
</html>
`;
