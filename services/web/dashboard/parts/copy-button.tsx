import { useEffect, useState } from 'preact/hooks';
import { useWords } from '../words/use-words.ts';

const saidMs = 2_000;

export function CopyButton({ text, label }: { text: string; label?: string }) {
  const { session } = useWords();
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return;
    const timer = setTimeout(() => setCopied(false), saidMs);
    return () => clearTimeout(timer);
  }, [copied]);
  const copy = () => navigator.clipboard?.writeText(text).then(() => setCopied(true));
  return (
    <button type="button" class="small-button" onClick={copy} {...(label ? { 'aria-label': label } : {})}>
      <span aria-live="polite">{copied ? session.copied : session.copy}</span>
    </button>
  );
}
