/** One line of readable text: control and invisible formatting characters become spaces, and it is cut at `maxLength` characters. */
export function plainLine(text: string, maxLength: number): string {
  const line = text
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cs}]+/gu, ' ')
    .replace(/\s+/gu, ' ')
    .trim();
  const characters = [...line.slice(0, maxLength * 2)];
  return characters.length <= maxLength
    ? characters.join('')
    : `${characters
        .slice(0, maxLength - 1)
        .join('')
        .trimEnd()}…`;
}
