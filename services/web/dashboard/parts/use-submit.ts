import { useState } from 'preact/hooks';

/** A form that is being sent: once at a time, and what came back when it failed. */
export function useSubmit(send: () => Promise<void>) {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const submit = async (event?: Event) => {
    event?.preventDefault();
    if (busy) return;
    setBusy(true);
    setError(undefined);
    try {
      await send();
    } catch (fault) {
      setError(fault);
    } finally {
      setBusy(false);
    }
  };
  return { busy, error, submit };
}
