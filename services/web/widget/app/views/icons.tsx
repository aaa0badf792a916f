const paths = {
  send: 'M12 19V5m0 0-6 6m6-6 6 6',
  microphone:
    'M12 15a3.5 3.5 0 0 0 3.5-3.5v-5a3.5 3.5 0 0 0-7 0v5A3.5 3.5 0 0 0 12 15Zm-6.5-3.5a6.5 6.5 0 0 0 13 0M12 18v3',
  muted: 'M4 4l16 16M9 5.5a3.5 3.5 0 0 1 6.5 1v4.5m-1 3a3.5 3.5 0 0 1-6-2.5V9m-3 2.5a6.5 6.5 0 0 0 10.5 5.1M12 18v3',
  stop: 'M7 7h10v10H7z',
  keyboard: 'M3 7h18v10H3zM7 10.5h.01M10.5 10.5h.01M14 10.5h.01M17.3 10.5h.01M8 14h8',
  close: 'M6 9l6 6 6-6',
  more: 'M5.5 12h.01M12 12h.01M18.5 12h.01',
  copy: 'M9 9h10v11H9zM5 15V4h10',
  fresh: 'M12 5v14M5 12h14',
  end: 'M6 6l12 12M18 6L6 18',
  down: 'M12 5v14m0 0 6-6m-6 6-6-6',
} as const;

export function Icon({ name }: { name: keyof typeof paths }) {
  return (
    <svg class="icon" viewBox="0 0 24 24" aria-hidden="true" data-icon={name}>
      <path d={paths[name]} />
    </svg>
  );
}
