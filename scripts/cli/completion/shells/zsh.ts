import { type Completion, type Flag, type Value, verbsByNoun } from './completions.ts';

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
/** Colons and brackets end parts of what zsh's functions are given. */
const plain = (text: string): string => text.replaceAll(/[\\:[\]]/g, '\\$&');

/** A function in zsh's own terms, so that the shell shows what each word does. */
export const zshCompletion = (completions: readonly Completion[]): string =>
  [
    '#compdef parley',
    '_parley() {',
    '  local -a choices',
    '  if (( CURRENT == 2 )); then',
    `    choices=(${[...verbsByNoun(completions)].map(([noun, list]) => quoted(`${noun}:${plain(aboutNoun(list))}`)).join(' ')})`,
    "    _describe 'noun' choices",
    '    return',
    '  fi',
    '  case "$words[2]" in',
    ...[...verbsByNoun(completions)].flatMap(([noun, list]) => [`    ${noun})`, ...ofNoun(list), '      ;;']),
    '  esac',
    '}',
    'compdef _parley parley',
  ].join('\n');

const aboutNoun = (list: readonly Completion[]): string => list.map(({ words, says }) => words[1] ?? says).join(', ');

function ofNoun(list: readonly Completion[]): string[] {
  const [first] = list;
  if (first?.words.length === 1) return [`      ${argumentsOf(first, 1)}`];
  return [
    '      if (( CURRENT == 3 )); then',
    `        choices=(${list.map(({ words, says }) => quoted(`${words[1]}:${plain(says)}`)).join(' ')})`,
    "        _describe 'verb' choices",
    '        return',
    '      fi',
    '      case "$words[3]" in',
    ...list.map((completion) => `        ${completion.words[1]}) ${argumentsOf(completion, 2)} ;;`),
    '      esac',
  ];
}

/** zsh's `_arguments` counts from the command's own name, so the words before are taken away. */
function argumentsOf({ flags, args }: Completion, taken: number): string {
  const specs = [...flags.map(flagSpec), ...args.map((value) => `:word:${action(value)}`), '*:word:_files'];
  return `shift ${taken} words; (( CURRENT -= ${taken} )); _arguments ${specs.map(quoted).join(' ')}`;
}

const flagSpec = ({ name, says, value }: Flag): string =>
  `${name}[${plain(says)}]${value === undefined ? '' : `:value:${action(value)}`}`;

function action(value: Value): string {
  if (value === 'text') return ' ';
  if (value === 'folder') return '_files -/';
  return value === 'file' ? '_files' : `(${value.join(' ')})`;
}
