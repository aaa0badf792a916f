import type { WidgetPrompt } from '../../contract/generated/policies.ts';
import type { Policy } from './policy.ts';

/** The key of an agent with a widget is public, so its prompt may be replaced by no caller, or by signed requests only. */
export const widgetPrompt: Policy<WidgetPrompt> = ({ settings: { widget, sessions } }, { allow }) => {
  if (!widget || allow.some((setting) => setting === sessions.systemPrompt)) return [];
  return [
    {
      path: ['sessions', 'systemPrompt'],
      message: `An agent with a widget must set sessions.systemPrompt to ${allow.join(' or ')}; it is "${sessions.systemPrompt}".`,
    },
  ];
};
