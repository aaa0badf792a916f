import type { Router } from 'express';
import type { AgentSettings, Challenge, CompiledAgent } from '../../agent-files/definition/compiled.ts';
import type { Languages, ShownChallenge, ToldWidgetSettings } from '../../contract/widget.ts';
import { availableVoices, type HostsSpeech } from '../../core/hosts/speech.ts';
import { sha256 } from '../../core/sessions/ids.ts';
import { accessOf } from '../http/agent-access.ts';
import { type AgentRouteDeps, agentRoute } from '../http/agent-route.ts';
import { clientHeader, isWidget, languagesPath } from '../http/client.ts';
import { isKnown } from '../http/etag.ts';

const cacheSeconds = 60;

export interface LanguagesRouteDeps extends AgentRouteDeps {
  hostsSpeech: () => Promise<HostsSpeech>;
}

/**
 * GET /api/sessions/languages: the languages this agent is configured for, with the voices that it is set up to speak with. The widget is
 * told how it looks as well.
 */
export const languagesRoute = (deps: LanguagesRouteDeps): Router =>
  agentRoute(deps, languagesPath, {
    get: [
      async (req, res) => {
        const { definition, settings } = accessOf(req).agent;
        const widget = isWidget(req) ? { widget: widgetOf(definition, settings) } : {};
        const body = JSON.stringify({ ...toLanguages(definition, await deps.hostsSpeech()), ...widget });
        const etag = `"${sha256(body).toString('hex').slice(0, 32)}"`;
        // A browser that has two agents must not give one the other's answer.
        res
          .vary(clientHeader)
          .vary('Authorization')
          .set({ ETag: etag, 'Cache-Control': `private, max-age=${cacheSeconds}` });
        if (isKnown(etag, req.get('If-None-Match'))) return void res.status(304).end();
        res.type('application/json').send(body);
      },
    ],
  });

/** What the widget has to know: how the author wants it, under the agent's name where it has no title, and what it may not do. */
const widgetOf = ({ name }: CompiledAgent, { widget, sessions }: AgentSettings): ToldWidgetSettings => ({
  title: name,
  ...widget,
  ...(sessions.microphone ? {} : { microphone: false }),
  ...(sessions.challenge && { challenge: publicPart(sessions.challenge) }),
});

const publicPart = ({ provider, siteKey }: Challenge): ShownChallenge => ({ provider, siteKey });

function toLanguages(definition: CompiledAgent, hosts: HostsSpeech): Languages {
  const { voiceAgentKind, languages, defaultLanguage } = definition;
  return {
    voiceAgentKind,
    languages: languages.map(({ code }) => code),
    languageConfigs: languages.map((language) => ({
      code: language.code,
      name: language.name,
      availableVoices: availableVoices(definition, language, hosts).map(
        ({ id, name: voiceName, gender, default: isDefault }) => ({
          id,
          name: voiceName,
          ...(gender === undefined ? {} : { gender }),
          default: isDefault,
        }),
      ),
    })),
    defaultLanguage,
  };
}
