/** Server-sent events as `fetch` reads them: the browser's own reader can send no token. */
export interface ServerEvent {
  event: string;
  data: string;
}

/** Text in pieces as they arrive, in; whole events, out (https://html.spec.whatwg.org/multipage/server-sent-events.html). */
export function makeEventReader() {
  let rest = '';
  let lastId: string | undefined;
  const eventOf = (block: string): ServerEvent | undefined => {
    let event = 'message';
    const data: string[] = [];
    for (const line of block.split('\n')) {
      const [, name = '', value = ''] = /^([^:]*):? ?(.*)$/.exec(line) ?? [];
      if (name === 'event') event = value;
      else if (name === 'data') data.push(value);
      else if (name === 'id') lastId = value;
    }
    return data.length > 0 ? { event, data: data.join('\n') } : undefined;
  };
  return {
    /** Of the last event that had one: where to go on after a break. */
    get lastId() {
      return lastId;
    },
    take: (text: string): ServerEvent[] => {
      const blocks = (rest + text).replaceAll('\r\n', '\n').split('\n\n');
      rest = blocks.pop() ?? '';
      return blocks.flatMap((block) => eventOf(block) ?? []);
    },
    /** The connection broke: what was not whole is sent again. */
    broke: () => {
      rest = '';
    },
  };
}
