import type { HeldRoom } from '../../client/room-client.ts';
import type { Handover } from '../shapes.ts';
import type { Fact } from './conversation/state.ts';
import { runTool } from './tools.ts';

/** Lets each room that is joined ask for what the page has registered, now and later. A tool that nobody registered the room refuses by itself. */
export function answerTools(
  { tools, onTool }: Pick<Handover, 'tools' | 'onTool'>,
  learn: (fact: Fact) => void,
): (room: HeldRoom) => void {
  let room: HeldRoom | undefined;
  const offer = (name: string) => {
    const tool = tools.get(name);
    room?.answerTool(
      name,
      tool &&
        ((payload) =>
          runTool(name, tool, payload, {
            began: (began) => learn({ kind: 'toolBegan', tool: began }),
            ended: (id) => learn({ kind: 'toolEnded', id }),
          })),
    );
  };
  onTool(offer);
  return (joined) => {
    room = joined;
    for (const name of tools.keys()) offer(name);
  };
}
