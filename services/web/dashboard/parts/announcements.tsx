import { type ComponentChildren, createContext } from 'preact';
import { useCallback, useContext, useEffect, useState } from 'preact/hooks';

type Announce = (text: string) => void;

const AnnounceContext = createContext<Announce>(() => undefined);

/** Says what an action came to: shown for a while at the edge, and read out by screen readers. */
export const useAnnounce = (): Announce => useContext(AnnounceContext);

const shownMs = 6_000;

export function Announcements({ children }: { children: ComponentChildren }) {
  const [said, setSaid] = useState<{ text: string; count: number }>();
  const announce = useCallback((text: string) => setSaid((before) => ({ text, count: (before?.count ?? 0) + 1 })), []);
  useEffect(() => {
    if (!said) return;
    const timer = setTimeout(() => setSaid(undefined), shownMs);
    return () => clearTimeout(timer);
  }, [said]);
  return (
    <AnnounceContext.Provider value={announce}>
      {children}
      <div class="announcements" role="status">
        {said && (
          <p key={said.count} class="announcement">
            {said.text}
          </p>
        )}
      </div>
    </AnnounceContext.Provider>
  );
}
