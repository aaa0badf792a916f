import type { RequestHandler } from 'express';
import helmet from 'helmet';

/** For answers that are data: nothing in them is ever a page. */
export const dataHeaders: RequestHandler[] = [
  helmet({
    contentSecurityPolicy: { useDefaults: false, directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] } },
    // Agent endpoints are for pages of other sites; CORS says which of them may read.
    crossOriginResourcePolicy: { policy: 'cross-origin' },
    // The domain's other names are not ours to decide about.
    strictTransportSecurity: { maxAge: 31_536_000, includeSubDomains: false },
    crossOriginOpenerPolicy: false,
    originAgentCluster: false,
    xDnsPrefetchControl: false,
    xDownloadOptions: false,
    xFrameOptions: false,
    xPermittedCrossDomainPolicies: false,
    xXssProtection: false,
    xPoweredBy: false,
  }),
  (_req, res, next) => {
    res.setHeader('Cache-Control', 'no-store');
    next();
  },
];

/** For the try-it page, which talks to this API and to the room server at `wsUrl`. */
export const pageHeaders = (wsUrl: string): RequestHandler => headersOf(wsUrl, ["'self'", "'unsafe-inline'"]);

/** For the dashboard: as the try-it page's, and no style but of its own files. */
export const strictPageHeaders = (wsUrl: string): RequestHandler => headersOf(wsUrl, ["'self'"]);

function headersOf(wsUrl: string, styleSrc: string[]): RequestHandler {
  const rooms = [wsUrl, wsUrl.replace(/^ws/, 'http')];
  return helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: ["'self'"],
        connectSrc: ["'self'", ...rooms],
        imgSrc: ["'self'", 'data:'],
        mediaSrc: ["'self'", 'blob:'],
        styleSrc,
        objectSrc: ["'none'"],
        baseUri: ["'self'"],
        formAction: ["'self'"],
        frameAncestors: ["'none'"],
      },
    },
    strictTransportSecurity: false,
  });
}
