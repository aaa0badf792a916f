import type { AgentFacts } from './agents.ts';
import type { DatabaseFacts } from './database.ts';
import type { RoomFacts } from './rooms.ts';
import type { Places } from './traffic.ts';

/** What a plan has to know of the place that a tenant runs at. A target gives them, each part of the plan says which it needs. */
export interface Facts {
  agents: AgentFacts;
  rooms: RoomFacts;
  database: DatabaseFacts;
  /** Where on the network those are that our pods talk to. */
  places: Places;
}
