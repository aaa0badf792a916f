import type { JSX } from 'preact';

/** Drawn on 16 by 16, in the colour of the text. They say nothing that the words beside them do not. */
const drawn = (path: string): JSX.Element => (
  <svg class="icon" viewBox="0 0 16 16" aria-hidden="true">
    <path d={path} />
  </svg>
);

export const icons = {
  overview: drawn('M2.5 13.5v-5M6.2 13.5v-11M9.8 13.5v-7M13.5 13.5v-9'),
  live: drawn(
    'M8 6.5a1.5 1.5 0 1 1 0 3 1.5 1.5 0 0 1 0-3M4.6 11.4a4.8 4.8 0 0 1 0-6.8M11.4 4.6a4.8 4.8 0 0 1 0 6.8M2.6 13.4a7.6 7.6 0 0 1 0-10.8M13.4 2.6a7.6 7.6 0 0 1 0 10.8',
  ),
  sessions: drawn('M2.5 3.5h11v7.5h-6l-3 2.5v-2.5h-2zM5.5 6.2h5M5.5 8.4h3'),
  agents: drawn('M8 2v2M4 4.5h8a1 1 0 0 1 1 1v6a1 1 0 0 1-1 1H4a1 1 0 0 1-1-1v-6a1 1 0 0 1 1-1M6 8v1.2M10 8v1.2'),
  scenarios: drawn('M3 4.2l1.2 1.2L6.4 3M3 10.7l1.2 1.2 2.2-2.4M8.8 4.5h4.7M8.8 11h4.7'),
  numbers: drawn('M6 2.5 5 13.5M11 2.5l-1 11M2.8 6h10.7M2.5 10h10.7'),
  calls: drawn(
    'M4.500 2.500 6.500 6 5.200 7.500a8 8 0 0 0 3.300 3.300L10 9.500l3.500 2v2A10.500 10.500 0 0 1 2.500 2.500zM10 2.500h3.500V6M13.500 2.500 9.500 6.500',
  ),
  webhook: drawn('M2.5 8h8M7.5 4.5 11 8l-3.5 3.5M13.5 3v10'),
  credentials: drawn('M10 2.5a3.5 3.5 0 1 1-1.8 6.5L6.5 10.7H5v1.5H3.5v1.3h-1v-2.2L7 7A3.5 3.5 0 0 1 10 2.5M11 5h.01'),
  members: drawn(
    'M6 3a2.3 2.3 0 1 1 0 4.6A2.3 2.3 0 0 1 6 3M1.8 13c.3-2.300 2-3.600 4.200-3.600s3.900 1.300 4.200 3.600M10.500 3.300a2.200 2.200 0 0 1 0 4.200M11.800 9.700c1.300.5 2.200 1.700 2.400 3.300',
  ),
  audit: drawn('M4 2.5h6l2.500 2.500v8.500h-8.500zM6 7h4.500M6 9.200h4.500M6 11.400h2.500'),
  health: drawn('M1.500 8.500h3l1.500-4 3 7.500 1.800-3.500h3.700'),
  capabilities: drawn('M2.500 5h11M2.500 11h11M6 3v4M10 9v4'),
  optOuts: drawn('M8 2.500a5.500 5.500 0 1 1 0 11a5.500 5.500 0 0 1 0-11M4.200 4.200l7.600 7.600'),
  tenant: drawn(
    'M3 13.500v-11h6.500v11M9.500 6.500h3.500v7M1.500 13.500h13M5.300 5.200h2M5.300 7.700h2M5.300 10.200h2',
  ),
  choose: drawn('M5 6.200 8 3l3 3.200M5 9.800 8 13l3-3.200'),
} as const;

export type IconName = keyof typeof icons;
