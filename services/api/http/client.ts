import type { Request } from 'express';

export const languagesPath = '/api/sessions/languages';

/** Whose program asks: `widget/<version>`. Whoever asks may write it, so it gives no right; answers that differ by it name it in Vary. */
export const clientHeader = 'X-Parley-Client';

export const isWidget = (req: Request): boolean => /^widget\//i.test(req.get(clientHeader) ?? '');
