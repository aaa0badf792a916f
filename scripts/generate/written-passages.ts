/** Which passages of files that people write are written by `npm run generate`, and from what. */
import agentSchema from '../../schemas/agent.schema.json' with { type: 'json' };
import type { Provider } from '../../services/agent/providers/provider.ts';
import { modelsNotBuiltIn, providers } from '../../services/agent/providers/registry.ts';
import { builtinToolNames, listedBuiltins } from '../../services/agent-files/builtin-tools/registry.ts';
import { endReasons } from '../../services/contract/end-reasons.ts';
import { problems } from '../../services/contract/problems.ts';
import { accountRoutes, seen } from '../../services/core/account/routes.ts';
import { attributeName } from '../../services/web/widget/loader/attributes.ts';
import { commandsTable } from './commands-table.ts';
import { row, withField, withPassage } from './passages.ts';
import { withProjectConfig } from './project-config.ts';
import { secondRunsTable } from './second-runs-page.ts';

export interface WrittenPassage {
  /** From the root of the repository. */
  file: string;
  /** The file's text with its passages as they should be. */
  write(text: string): string | Promise<string>;
}

const namesOf = (has: (provider: Provider) => unknown): string[] => providers.filter(has).map(({ name }) => name);

export const writtenPassages: readonly WrittenPassage[] = [
  {
    file: 'schemas/agent.schema.json',
    write: (text) => {
      const speech = withField(
        text,
        'SpeechProvider',
        'enum',
        namesOf(({ speech }) => speech),
      );
      const realtime = withField(
        speech,
        'RealtimeProvider',
        'enum',
        namesOf(({ realtime }) => realtime),
      );
      const models = withField(realtime, 'ModelProvider', 'enum', ['auto', ...namesOf(({ model }) => model)]);
      const notBuiltIn = withField(models, 'notBuiltIn', 'values', modelsNotBuiltIn);
      return withField(notBuiltIn, 'tools', 'description', toolsDescription());
    },
  },
  {
    file: 'schemas/policies.schema.json',
    write: (text) =>
      withField(text, 'propertyNames', 'enum', [...namesOf(({ region }) => region !== 'here'), ...modelsNotBuiltIn]),
  },
  { file: 'Pulumi.yaml', write: withProjectConfig },
  { file: 'docs/operate/commands.md', write: async (text) => withPassage(text, 'commands', await commandsTable()) },
  { file: 'docs/operate/second-runs.md', write: (text) => withPassage(text, 'second runs', secondRunsTable()) },
  { file: 'docs/write-agents/speech.md', write: (text) => withPassage(text, 'providers of speech', speechTable()) },
  { file: 'docs/write-agents/tools.md', write: (text) => withPassage(text, 'built-in tools', builtinTable()) },
  {
    file: 'docs/call/account.md',
    write: (text) => {
      const told = withPassage(withPassage(text, 'routes', accountTable()), 'who sees what', seenTable());
      return withPassage(told, 'refusals', accountRefusals());
    },
  },
  {
    file: 'docs/call/widget.md',
    write: (text) => withPassage(withPassage(text, 'attributes', attributeTable()), 'texts', textTable()),
  },
  { file: 'docs/call/rest.md', write: (text) => withPassage(text, 'end reasons', endReasonList()) },
];

const toolsDescription = (): string =>
  `Tools the model may call: names of files in tools/, or the built-in ${builtinToolNames.slice(0, -1).join(', ')} and ${builtinToolNames.at(-1)}. Default: none.`;

const builtinTable = (): string =>
  ['| Tool | What it does |', '|---|---|', ...listedBuiltins.map(({ name, docs }) => row(`\`${name}\``, docs))].join(
    '\n',
  );

const { Widget: widget, WidgetTexts: widgetTexts } = agentSchema.$defs;

/** Of the tag, as the agent's schema describes them; texts have none. */
const attributeTable = (): string =>
  [
    '| Attribute | In the agent’s file | What it says |',
    '|---|---|---|',
    ...Object.entries(widget.properties)
      .filter(([name]) => name !== 'texts')
      .map(([name, schema]) => {
        const values = 'enum' in schema ? ` One of ${schema.enum.map((value) => `\`${value}\``).join(', ')}.` : '';
        return row(`\`${attributeName(name)}\``, `\`${name}\``, `${schema.description}${values}`);
      }),
  ].join('\n');

const textTable = (): string =>
  [
    '| Name | In English |',
    '|---|---|',
    ...Object.entries(widgetTexts.properties).map(([name, { description }]) =>
      row(`\`${name}\``, description.replace('Built in: ', '')),
    ),
  ].join('\n');

const endReasonList = (): string =>
  `\`endReason\` is one of ${endReasons.map((reason) => `\`${reason}\``).join(', ')}.`;

const accountTable = (): string =>
  [
    '| Route | Who | What it does |',
    '|---|---|---|',
    ...accountRoutes.map(({ method, path, who, says }) =>
      row(`\`${method} ${path}\``, isOfTenant(who) ? `\`${who}\` and above` : who, says),
    ),
  ].join('\n');

const seenTable = (): string =>
  [
    '| Who | Sees |',
    '|---|---|',
    ...Object.values(seen).map(({ least, says }) => row(`\`${least}\` and above`, says)),
  ].join('\n');

const isOfTenant = (who: string): boolean => who !== 'anybody' && who !== 'person';

/** Refusals that the account API has beside those of docs/call/rest.md. */
const accountRefusals = (): string =>
  [
    '| Status | `code` | What to do |',
    '|---|---|---|',
    ...ofAccount.map((problem) => row(String(problem.status), `\`${problem.code}\``, problem.message)),
  ].join('\n');

const ofAccount = [
  problems.invalidToken(),
  problems.signInFailed(),
  problems.forbidden(),
  problems.invitationNotOpen(),
  problems.noIdentityProvider(),
  problems.noPasswords('Okta'),
  problems.signInExpired(),
  problems.signInCancelled(),
  problems.signInRefused(),
  problems.notInvited(),
  problems.accountExists(),
  problems.resetNotOpen(),
  problems.linkNotOpen(),
  problems.linkOfAnother(),
  problems.identityTaken(),
  problems.tooManyIdentities(10),
  problems.identityNotFound(),
  problems.lastWayIn(),
  problems.memberNotFound(),
  problems.agentNotFound('desk'),
  problems.versionNotFound('desk', '0123456789ab'),
  problems.changeNotFound(),
  problems.deliveryNotFound(),
  problems.sessionLive(),
  problems.nothingSaid(),
  problems.ticketInvalid(),
  problems.tooManyStreams(),
  problems.lastOwner(),
  problems.alreadyMember('eve@example.com'),
  problems.promptConflict('desk'),
  problems.promptNotEditable('desk'),
  problems.promptsReadOnly('What to do about it.'),
  problems.proposalExists('parley/desk-0123abcd'),
  problems.branchProtected('main'),
  problems.managedByStack('caps'),
  problems.preconditionFailed(),
  problems.preconditionRequired(),
  problems.trunkNotFound(),
  problems.numberNotFound(),
  problems.callNotFound(),
  problems.optOutNotFound(),
  problems.trunkNameTaken('carrier'),
  problems.trunkOpen(),
  problems.trunkInUse(),
  problems.numberTaken(),
  problems.outboundNotAllowed('desk'),
  problems.consentMissing(),
  problems.zoneUnknown(),
  problems.outsideCallingHours('mon, tue, wed, thu, fri 09:00–20:00, Europe/Berlin'),
  problems.optedOut(),
  problems.prefixNotAllowed(),
  problems.dialRate(),
  problems.callsOfDay('+49'),
  problems.minutesOfDay('+49'),
  problems.callAnswered(),
  problems.notConfigured('What is missing, and how one comes by it.'),
];

function speechTable(): string {
  return [
    row(
      '`provider`',
      'Key, unless `apiKey` names another variable',
      'Recognition',
      'Voices, as `languages[].voices[].model`',
    ),
    row('---', '---', '---', '---').replaceAll(' ', ''),
    ...providers.flatMap(({ name, key, speech }) =>
      speech ? [row(`\`${name}\``, key ? `\`${key}\`` : 'none', speech.docs.recognition, speech.docs.voices)] : [],
    ),
  ].join('\n');
}
