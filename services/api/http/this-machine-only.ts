import type { RequestHandler } from 'express';
import { problems } from '../../contract/problems.ts';

const loopback = /^(127\.\d+\.\d+\.\d+|::1|::ffff:127\.\d+\.\d+\.\d+)$/;
const localName = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])(:\d+)?$/i;

/**
 * For what a developer is given without a question. The Host is looked at too: a page of another site could have its own name resolve to this
 * machine. @throws Problem `not_found` for everybody else
 */
export const thisMachineOnly: RequestHandler = (req, _res, next) => {
  const local =
    loopback.test(req.socket.remoteAddress ?? '') &&
    localName.test(req.headers.host ?? '') &&
    !req.headers['x-forwarded-for'];
  if (!local) throw problems.notFound();
  next();
};
