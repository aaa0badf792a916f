import type { RequestHandler } from 'express';
import type { AccountRouteName } from '../../core/account/routes.ts';

/** What answers a row of the table; one that is missing, or too many, does not compile. */
export type Handlers<Name extends AccountRouteName = AccountRouteName> = Record<Name, RequestHandler[]>;
