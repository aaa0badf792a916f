import { variables } from '../../../services/settings/write.ts';

/** With it a stand-in may be asked, which is on this machine and without https. */
export const onThisMachine = variables({ environment: 'development' });
