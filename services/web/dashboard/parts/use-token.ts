import { useEffect, useState } from 'preact/hooks';

/**
 * The newest token that a link has brought behind the `#`, where no server sees it. A link to the page that is open already changes only that:
 * nothing is loaded then.
 * @param take reads it from the address, once or again
 */
export function useToken(take: () => string | undefined): string | undefined {
  const [token, setToken] = useState(take);
  useEffect(() => {
    const follow = () => setToken((before) => take() ?? before);
    addEventListener('hashchange', follow);
    return () => removeEventListener('hashchange', follow);
  }, [take]);
  return token;
}
