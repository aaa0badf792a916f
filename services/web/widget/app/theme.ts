import { inkOn } from '../loader/colour.ts';
import type { Settings } from '../shapes.ts';
import { readableOn } from './readable.ts';

export interface Colours {
  isDark: boolean;
  /** Custom properties of the style sheet. */
  properties: Record<string, string>;
}

const surface = { light: '#ffffff', dark: '#17181c' };
/** What is written on bubbles of the agent has less contrast than on the surface. */
const sunken = { light: '#f1f2f4', dark: '#26282e' };

/** The author's colour as it can be read in this theme. */
export function colours({ theme, color }: Settings, systemIsDark: boolean): Colours {
  const isDark = theme === 'auto' ? systemIsDark : theme === 'dark';
  const grounds = isDark ? ('dark' as const) : ('light' as const);
  return {
    isDark,
    properties: {
      '--c': color,
      '--i': inkOn(color),
      '--a': readableOn(sunken[grounds], color),
      '--edge': readableOn(surface[grounds], color, 3),
    },
  };
}
