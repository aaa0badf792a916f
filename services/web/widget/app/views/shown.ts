import type { Settings } from '../../shapes.ts';
import type { State } from '../conversation/state.ts';
import type { Texts } from '../texts/en.ts';
import type { Colours } from '../theme.ts';

/** All that is drawn. */
export interface Shown {
  state: State;
  settings: Settings;
  language: string;
  texts: Texts;
  isOpen: boolean;
  unread: number;
  accepted: boolean;
  consent: string | undefined;
  greeting: string | undefined;
  title: string;
  isInline: boolean;
  colours: Colours;
}
