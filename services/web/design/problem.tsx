interface Props {
  message: string;
  action?: string;
  onAction?(): void;
}

/** What went wrong, in the words of who refused it, and what can be done about it here. */
export function Problem({ message, action, onAction }: Props) {
  return (
    <div class="problem" role="alert">
      <p>{message}</p>
      {action && (
        <button type="button" onClick={onAction}>
          {action}
        </button>
      )}
    </div>
  );
}
