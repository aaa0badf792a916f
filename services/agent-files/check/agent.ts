/** What the schema of an agent cannot say: references, languages, voices, addresses and variables. */
import type { AgentFile, Language } from '../../contract/generated/agent.ts';
import { nearest } from '../../contract/nearest.ts';
import { builtinToolNames, isBuiltinTool } from '../builtin-tools/registry.ts';
import { promptVariables } from '../definition/instructions.ts';
import { checkLocalized, includesCode } from '../definition/localized.ts';
import type { Finding } from '../faults.ts';
import { checkCollect } from './collect.ts';
import { checkMachineMessage, checkPhone, checkTransfers } from './phone.ts';
import { checkPhrases } from './phrases.ts';
import { inBraces, unknownPlaceholders } from './placeholders.ts';
import {
  checkModels,
  checkProvidersVoices,
  checkSpeechKeys,
  checkSpeechLanguages,
  checkSpeechModels,
} from './providers.ts';
import { checkScript } from './script.ts';
import type { Sound } from './soundness.ts';
import { checkSpokenLines } from './spoken-lines.ts';
import type { AgentSurroundings } from './surroundings.ts';
import { webhookUrlProblem } from './webhook-url.ts';
import { checkWidget } from './widget.ts';

interface Check {
  /** The check runs when these parts are sound. */
  reads: readonly (readonly [keyof AgentFile, ...string[]])[];
  run: (file: AgentFile, surroundings: AgentSurroundings, sound: Sound) => Finding[];
}

const checks: readonly Check[] = [
  { reads: [['prompt'], ['phone']], run: checkPrompt },
  { reads: [['phone']], run: checkPhone },
  { reads: [['phone'], ['tools'], ['languages', '*', 'code']], run: checkTransfers },
  { reads: [['phone'], ['tools'], ['languages', '*', 'code']], run: checkMachineMessage },
  { reads: [['knowledge']], run: checkKnowledge },
  { reads: [['prompt'], ['knowledge'], ['context']], run: checkInstructionSize },
  { reads: [['languages', '*', 'code']], run: checkLanguageCodes },
  {
    reads: [
      ['languages', '*', 'code'],
      ['languages', '*', 'voices'],
    ],
    run: checkVoices,
  },
  { reads: [['languages', '*', 'code'], ['defaultLanguage']], run: checkDefaultLanguage },
  { reads: [['languages']], run: checkSpokenLines },
  { reads: [['languages']], run: checkPhrases },
  { reads: [['model']], run: checkModels },
  { reads: [['speech']], run: checkSpeechModels },
  { reads: [['speech'], ['realtime']], run: checkSpeechKeys },
  { reads: [['languages', '*', 'code'], ['speech']], run: checkSpeechLanguages },
  {
    reads: [['languages', '*', 'code'], ['languages', '*', 'voices'], ['speech']],
    run: checkProvidersVoices,
  },
  { reads: [['timezone']], run: checkTimezone },
  { reads: [['tools']], run: checkTools },
  { reads: [['languages', '*', 'code'], ['tools']], run: checkScript },
  { reads: [['languages', '*', 'code'], ['speech'], ['filler']], run: checkLocalizedTexts },
  { reads: [['webhook']], run: checkWebhook },
  { reads: [['widget'], ['sessions']], run: checkWidgetPrompt },
  {
    reads: [['widget'], ['sessions'], ['languages', '*', 'code'], ['languages', '*', 'voices']],
    run: checkWidget,
  },
  { reads: [['collect'], ['tools']], run: checkCollect },
];

/** Runs every check whose parts are sound. */
export const checkAgent = (file: AgentFile, sound: Sound, surroundings: AgentSurroundings): Finding[] =>
  checks
    .filter(({ reads }) => reads.every((part) => sound(...part)))
    .flatMap(({ run }) => run(file, surroundings, sound));

/** Tokens of a text by the usual rule of four characters each. */
export const estimateTokens = (text: string): number => Math.ceil(text.length / 4);

/** What nobody fills in. */
export function checkPrompt({ prompt, phone }: Pick<AgentFile, 'prompt' | 'phone'>): Finding[] {
  const known: readonly string[] = [...promptVariables, ...Object.keys(phone?.outbound?.variables ?? {})];
  return unknownPlaceholders(prompt, known).map(({ within, name }) => {
    const near = nearest(name, known);
    const hint = near === undefined ? '' : ` Did you mean {{${near}}}?`;
    return {
      path: ['prompt'],
      within,
      rule: 'prompt-variable',
      message: `A prompt may use ${inBraces(known)} only.${hint}`,
    };
  });
}

function checkKnowledge({ knowledge }: AgentFile, surroundings: AgentSurroundings): Finding[] {
  const names = [...surroundings.knowledge.keys()];
  return knowledge.flatMap((name, index) => {
    if (surroundings.knowledge.has(name)) return [];
    return [{ path: ['knowledge', `${index}`], rule: 'knowledge-missing', message: missing('knowledge', name, names) }];
  });
}

function checkInstructionSize({ prompt, knowledge, context }: AgentFile, surroundings: AgentSurroundings): Finding[] {
  const texts = [prompt, ...knowledge.map((name) => surroundings.knowledge.get(name) ?? '')];
  const tokens = texts.reduce((sum, text) => sum + estimateTokens(text), 0);
  const path = knowledge.length > 0 ? ['knowledge'] : ['prompt'];
  const fits: Finding[] =
    tokens <= context.instructionTokens
      ? []
      : [
          {
            path,
            at: 'key',
            rule: 'instruction-size',
            message: `Prompt and knowledge have about ${tokens} tokens, but context.instructionTokens allows ${context.instructionTokens}: shorten them or raise it.`,
          },
        ];
  if (context.instructionTokens < context.maxTokens) return fits;
  return [
    ...fits,
    {
      path: ['context'],
      at: 'key',
      rule: 'context-size',
      message: `"context.instructionTokens" (${context.instructionTokens}) must be below "context.maxTokens" (${context.maxTokens}), or no room is left for the conversation.`,
    },
  ];
}

function checkLanguageCodes({ languages }: AgentFile): Finding[] {
  const codes = languages.map(({ code }) => code.toLowerCase());
  return languages.flatMap(({ code }, index): Finding[] => {
    if (codes.indexOf(code.toLowerCase()) === index) return [];
    const message = `The language "${code}" is listed twice; keep one.`;
    return [{ path: ['languages', `${index}`, 'code'], rule: 'language-twice', message }];
  });
}

function checkVoices({ languages }: AgentFile): Finding[] {
  return languages.flatMap((language, index) => {
    const path = ['languages', `${index}`, 'voices'];
    return [...checkVoiceIds(language, path), ...checkDefaultVoice(language, path)];
  });
}

function checkVoiceIds({ voices }: Language, path: readonly string[]): Finding[] {
  const ids = voices.map(({ id }) => id);
  return ids.flatMap((id, index): Finding[] => {
    if (ids.indexOf(id) === index) return [];
    return [
      {
        path: [...path, `${index}`, 'id'],
        rule: 'voice-twice',
        message: `The voice "${id}" is listed twice; keep one.`,
      },
    ];
  });
}

function checkDefaultVoice({ code, voices }: Language, path: readonly string[]): Finding[] {
  const defaults = voices.flatMap((voice, index) => (voice.default ? [`${index}`] : []));
  if (voices.length === 0 || defaults.length === 1) return [];
  const [, second] = defaults;
  const message = `Exactly one voice of "${code}" must say default: true; ${second === undefined ? 'none does' : `${defaults.length} do`}.`;
  if (second === undefined) return [{ path, at: 'key', rule: 'default-voice', message }];
  return [{ path: [...path, second, 'default'], rule: 'default-voice', message }];
}

function checkDefaultLanguage({ defaultLanguage, languages }: AgentFile): Finding[] {
  const codes = languages.map(({ code }) => code);
  if (defaultLanguage === undefined || includesCode(codes, defaultLanguage)) return [];
  return [
    {
      path: ['defaultLanguage'],
      rule: 'default-language',
      message: `"defaultLanguage" must be one of the agent's languages (${codes.join(', ')}), not "${defaultLanguage}".`,
    },
  ];
}

/** Asking Intl for a formatter, which knows other spellings too, costs a fifth of a millisecond. */
const timezones = new Set([...Intl.supportedValuesOf('timeZone'), 'UTC']);

function checkTimezone({ timezone }: AgentFile): Finding[] {
  if (timezones.has(timezone)) return [];
  try {
    new Intl.DateTimeFormat('en', { timeZone: timezone });
    return [];
  } catch {
    const near = nearest(timezone, [...timezones]);
    const hint = near === undefined ? 'Write one such as Europe/Berlin or UTC.' : `Did you mean "${near}"?`;
    return [{ path: ['timezone'], rule: 'timezone', message: `There is no time zone "${timezone}". ${hint}` }];
  }
}

function checkTools({ tools }: AgentFile, surroundings: AgentSurroundings): Finding[] {
  const names = [...builtinToolNames, ...surroundings.tools];
  return tools.flatMap((name, index) => {
    if (isBuiltinTool(name) || surroundings.tools.includes(name)) return [];
    return [
      { path: ['tools', `${index}`], rule: 'tool-missing', message: missing('tools', `${name}.yaml`, names, name) },
    ];
  });
}

function checkLocalizedTexts({ speech, filler, languages }: AgentFile): Finding[] {
  const codes = languages.map(({ code }) => code);
  return [
    ...(speech.idlePrompt ? checkLocalized(speech.idlePrompt.say, ['speech', 'idlePrompt', 'say'], codes) : []),
    ...(speech.filler ? checkLocalized(speech.filler.say, ['speech', 'filler', 'say'], codes) : []),
    ...(filler ? checkLocalized(filler.say, ['filler', 'say'], codes) : []),
  ];
}

function checkWebhook({ webhook }: AgentFile, { environment, webhookEnabled }: AgentSurroundings): Finding[] {
  if (!webhook) return [];
  const path = ['webhook', 'url'];
  const problem = typeof webhook.url === 'string' ? webhookUrlProblem(webhook.url, environment) : undefined;
  const wrong: Finding[] = problem === undefined ? [] : [{ path, rule: 'webhook-url', message: problem }];
  if (webhookEnabled) return wrong;
  const message =
    "Nothing will be sent: the tenant's webhook feature is off (features.webhook in the stack configuration).";
  return [...wrong, { path: ['webhook'], at: 'key', rule: 'webhook-off', message, severity: 'warning' }];
}

function checkWidgetPrompt({ widget, sessions }: AgentFile): Finding[] {
  if (!widget || sessions.systemPrompt !== 'server') return [];
  return [
    {
      path: ['widget'],
      at: 'key',
      rule: 'widget-prompt',
      message:
        'The key of an agent with a widget is public, so anyone can replace its prompt: set sessions.systemPrompt to signed or never.',
      severity: 'warning',
    },
  ];
}

function missing(folder: string, file: string, known: readonly string[], name = file): string {
  const near = nearest(name, known);
  const hint =
    near === undefined
      ? known.length === 0
        ? 'That folder is empty.'
        : `Known: ${known.slice(0, 20).join(', ')}.`
      : `Did you mean "${near}"?`;
  return `There is no file ${folder}/${file}. ${hint}`;
}
