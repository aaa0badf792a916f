import { type Completion, type Value, verbsByNoun } from './completions.ts';

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

const isAlone = ({ words }: Completion): boolean => words.length === 1;

/** A function that bash calls at every press of the key, with all it has to know written into it. */
export function bashCompletion(completions: readonly Completion[]): string {
  const nouns = verbsByNoun(completions);
  const alone = completions.filter(isAlone).map(({ words }) => words[0]);
  const verbs = [...nouns].filter(([, [first]]) => first && !isAlone(first));
  return [
    '_parley() {',
    `  local word=\${COMP_WORDS[COMP_CWORD]} before=\${COMP_WORDS[COMP_CWORD-1]} command first=3 values= flags=`,
    `  command="\${COMP_WORDS[1]} \${COMP_WORDS[2]}"`,
    `  case "\${COMP_WORDS[1]}" in ${alone.join('|')}) command=\${COMP_WORDS[1]} first=2 ;; esac`,
    '  COMPREPLY=()',
    '  if [ "$COMP_CWORD" -lt "$first" ]; then',
    `    case "$COMP_CWORD:\${COMP_WORDS[1]}" in`,
    `      1:*) values=${quoted([...nouns.keys()].join(' '))} ;;`,
    ...verbs.map(([noun, list]) => `      2:${noun}) values=${quoted(list.map(({ words }) => words[1]).join(' '))} ;;`),
    '    esac',
    '    COMPREPLY=($(compgen -W "$values" -- "$word"))',
    '    return',
    '  fi',
    '  case "$command $before" in',
    ...completions.flatMap(({ words, flags }) =>
      flags.flatMap(({ name, value }) =>
        value === undefined ? [] : [`    ${quoted(`${words.join(' ')} ${name}`)}) ${reply(value)}; return ;;`],
      ),
    ),
    '  esac',
    '  case "$command" in',
    ...completions.map(
      ({ words, flags, args }) =>
        `    ${quoted(words.join(' '))}) flags=${quoted(flags.map(({ name }) => name).join(' '))} values=${quoted(valuesOf(args))} ;;`,
    ),
    '  esac',
    '  case "$word" in',
    '    -*) COMPREPLY=($(compgen -W "$flags" -- "$word")) ;;',
    '    *) COMPREPLY=($(compgen -W "$values" -- "$word") $(compgen -f -- "$word")) ;;',
    '  esac',
    '}',
    'complete -o filenames -F _parley parley',
  ].join('\n');
}

const valuesOf = (args: readonly Value[]): string =>
  args.flatMap((value) => (typeof value === 'string' ? [] : value)).join(' ');

function reply(value: Value): string {
  if (value === 'text') return ':';
  if (value === 'folder') return 'COMPREPLY=($(compgen -d -- "$word"))';
  if (value === 'file') return 'COMPREPLY=($(compgen -f -- "$word"))';
  return `COMPREPLY=($(compgen -W ${quoted(value.join(' '))} -- "$word"))`;
}
