import * as zag from '@zag-js/menu';
import { normalizeProps, useMachine } from '@zag-js/preact';
import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';

export interface MenuItem {
  value: string;
  name: string;
  /** One of several, and whether it is the chosen one. */
  chosen?: boolean;
}

export interface MenuGroup {
  name?: string;
  items: MenuItem[];
}

interface Props {
  label: string;
  groups: MenuGroup[];
  onSelect(value: string): void;
  children: ComponentChildren;
}

/** A button that opens a menu: arrows, letters, Escape and the way back of the focus are the library's. */
export function Menu({ label, groups, onSelect, children }: Props) {
  const service = useMachine(zag.machine as zag.Machine, {
    id: useId(),
    'aria-label': label,
    positioning: { placement: 'bottom-start', sameWidth: true, gutter: 4 },
    onSelect: ({ value }) => onSelect(value),
  });
  const api = zag.connect(service, normalizeProps);
  return (
    <div class="menu">
      <button {...api.getTriggerProps()} class="menu-trigger">
        {children}
      </button>
      <div {...api.getPositionerProps()} class="menu-place">
        <div {...api.getContentProps()} class="menu-content">
          {groups.map(({ name, items }, index) => (
            <div key={index} {...api.getItemGroupProps({ id: `group-${index}` })} class="menu-group">
              {name && (
                <p {...api.getItemGroupLabelProps({ htmlFor: `group-${index}` })} class="menu-name">
                  {name}
                </p>
              )}
              {items.map((item) => (
                <div key={item.value} {...itemProps(api, item)} class="menu-item">
                  <span class="tick" aria-hidden="true">
                    {item.chosen ? '✓' : ''}
                  </span>
                  {item.name}
                </div>
              ))}
            </div>
          ))}
        </div>
      </div>
    </div>
  );
}

function itemProps(api: zag.Api, { value, chosen }: MenuItem) {
  if (chosen === undefined) return api.getItemProps({ value });
  return api.getOptionItemProps({ value, type: 'radio', checked: chosen, onCheckedChange: () => undefined });
}
