import type { ErrorRequestHandler, RequestHandler } from 'express';
import { Problem, problems } from '../../contract/problems.ts';
import type { Logger } from '../../process/logger.ts';
import { isDatabaseFull, isDatabaseUnavailable } from '../../store/database.ts';
import { bodyLimitBytes } from './body-limit.ts';

const shownDetails = 20;

/** The JSON that every refusal has. */
export function problemBody({ message, code, details }: Problem): {
  message: string;
  code: string;
  details?: Problem['details'];
} {
  return { message, code, ...(details ? { details: details.slice(0, shownDetails) } : {}) };
}

export const notFound: RequestHandler = () => {
  throw problems.notFound();
};

/** The one place where errors become answers. What is not a Problem is a fault of ours: it is logged, and its text shown to nobody. */
export function renderProblem(log: Logger): ErrorRequestHandler {
  return (error: unknown, req, res, _next) => {
    const problem = toProblem(error);
    Object.assign(req.logged, { code: problem.code }, problem.logged);
    if (problem.status === 500)
      log.error({ requestId: req.requestId, route: req.routePattern, err: error }, 'request failed');
    else if (problem.status === 503 && !(error instanceof Problem))
      log.warn({ requestId: req.requestId, err: error }, 'request failed for want of the database');
    // An answer that has begun can't be taken back: cutting it off tells the client that it is not whole.
    if (res.headersSent) return void req.socket.destroy();
    if (problem.status === 401) res.setHeader('WWW-Authenticate', 'Bearer');
    res.status(problem.status).set(problem.headers).json(problemBody(problem));
  };
}

export function toProblem(error: unknown): Problem {
  if (error instanceof Problem) return error;
  if (isDatabaseFull(error)) return problems.databaseFull();
  if (isDatabaseUnavailable(error)) return problems.unavailable('The database');
  return fromLibrary(error) ?? problems.internal();
}

/** Refusals of Express and its parsers, told by their marks. */
function fromLibrary(error: unknown): Problem | undefined {
  if (!(error instanceof Error)) return undefined;
  const { type, status } = error as { type?: unknown; status?: unknown };
  if (type === 'entity.too.large') return problems.payloadTooLarge(bodyLimitBytes);
  if (type === 'encoding.unsupported' || type === 'charset.unsupported') return problems.unsupportedMediaType();
  if (type === 'request.aborted' || type === 'request.size.invalid') return problems.malformedRequest();
  // A path that can't be decoded, or that the static files refuse, is no path of ours.
  if (error instanceof URIError || status === 400 || status === 403 || status === 404) return problems.notFound();
  return undefined;
}
