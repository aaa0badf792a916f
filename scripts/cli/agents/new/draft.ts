/** From four answers to the text of an agent and its scenarios; pure. */
import { isKnown, type Phrases, phrasesOf } from './phrases.ts';

export interface Answers {
  name: string;
  /** What the agent is for, in a sentence or two. */
  purpose: string;
  /** Codes; the first is the default. */
  languages: readonly string[];
  tools: readonly string[];
}

export interface Draft {
  /** The agent's id, which its files are named after. */
  id: string;
  agent: string;
  scenarios: string;
}

/** `schemas` leads from the agents' folder to the schemas, with forward slashes. */
export function draftAgent(answers: Answers, schemas: string): Draft {
  return {
    id: idOf(answers.name),
    agent: agentText(answers, schemas),
    scenarios: scenarioText(answers, `../${schemas}`),
  };
}

/** Lower-case letters, digits and hyphens; empty when the name has none of them. */
export const idOf = (name: string): string =>
  name
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, 63)
    .replaceAll(/^-+|-+$/g, '');

const onOneLine = (text: string): string => text.replaceAll(/\s+/g, ' ').trim();

/** A text in double quotes, which YAML reads as JSON does. */
const quoted = (text: string): string => JSON.stringify(text);

function agentText({ name, purpose, languages, tools }: Answers, schemas: string): string {
  const endsCalls = tools.includes('end_call');
  return `# yaml-language-server: $schema=${schemas}/agent.schema.json
name: ${quoted(onOneLine(name))}
# VOICE for an agent that is spoken to.
interactionMode: TEXT

# Instructions of the model. {{date}}, {{now}}, {{timezone}}, {{language}} and {{channel}} are filled in.
prompt: |
  ${onOneLine(purpose)}

  - Be friendly, exact and brief: at most three sentences.
  - Say so when you do not know something, and promise nothing that you were not told here.
${endsCalls ? '  - When the person says goodbye or needs nothing more, say goodbye and call end_call.\n' : ''}
languages:
${languages.map(languageText).join('')}
tools: [${tools.join(', ')}]

# Written, once in a turn, to somebody who has read nothing for 1.5 s.
filler:
  say:
${saidBy(languages, 'waiting', 4)}

limits:
  maxDuration: 30m

# Only your own server may replace the prompt of a session, by a signed request: the key in a page is anybody's.
sessions:
  systemPrompt: signed

# What the agent says while there is no model: the first rule that matches decides.
script:
  rules:
    - name: hello
      when: ${quoted(`^(?:${words(languages, 'hello')})\\b`)}
      say:
${saidBy(languages, 'answerToHello', 8)}
    - name: goodbye
      when: ${quoted(`\\b(?:${words(languages, 'bye')})\\b`)}
      say:
${saidBy(languages, 'farewell', 8)}${endsCalls ? '\n      end: true' : ''}

  fallback:
${saidBy(languages, 'fallback', 4)}
`;
}

function languageText(code: string): string {
  const name = new Intl.DisplayNames([code], { type: 'language' }).of(code) ?? code;
  const note = isKnown(code) ? '' : '    # To be translated, as are the texts of the script.\n';
  return `  - code: ${code}\n    name: ${quoted(name)}\n${note}    greeting: ${quoted(phrasesOf(code).greeting)}\n`;
}

/** Letters of the phrases need no escaping in a pattern. */
const words = (codes: readonly string[], phrase: 'hello' | 'bye'): string =>
  [...new Set(codes.map((code) => phrasesOf(code)[phrase].toLowerCase()))].join('|');

const saidBy = (codes: readonly string[], phrase: keyof Phrases, indent: number): string =>
  codes.map((code) => `${' '.repeat(indent)}${code}: ${quoted(phrasesOf(code)[phrase])}`).join('\n');

const scenarioText = ({ languages, tools }: Answers, schemas: string): string =>
  `# yaml-language-server: $schema=${schemas}/scenario.schema.json
# Conversations that the agent must get right before it goes live.
scenarios:
${languages.map((code) => conversation(code, tools.includes('end_call'))).join('\n')}`;

function conversation(code: string, endsCalls: boolean): string {
  const { hello, bye, answerToHello, farewell, fallback } = phrasesOf(code);
  return `  - name: a person says hello, something unclear and goodbye (${code})
    language: ${code}
    turns:
      - say: ${quoted(hello)}
        expect: { text: ${quoted(answerToHello)} }
      - say: Xyzzy
        expect: { text: ${quoted(fallback)}, ended: false }
      - say: ${quoted(bye)}
        expect: { text: ${quoted(farewell)}, ended: ${endsCalls} }
`;
}
