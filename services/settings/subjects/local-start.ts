import { aText, aWholeNumber, oneOf } from '../../process/environment.ts';
import { aPort } from '../forms.ts';
import { optional, setting } from '../setting.ts';

/** `npm start`, and what the operator's commands find it by. */
export const localStart = {
  demoToolsPort: setting({
    name: 'PARLEY_DEMO_TOOLS_PORT',
    readBy: { start: 7810 },
    ...aPort,
    says: "The demo agents' tool endpoints.",
  }),
  postgresPort: setting({
    name: 'PARLEY_POSTGRES_PORT',
    readBy: { start: 7832 },
    ...aPort,
    says: 'PostgreSQL.',
  }),
  roomPort: setting({ name: 'PARLEY_ROOM_PORT', readBy: { start: 7880 }, ...aPort, says: 'The room server.' }),
  roomUdpPort: setting({
    name: 'PARLEY_ROOM_UDP_PORT',
    readBy: { start: 7882 },
    ...aPort,
    says: "The room server's media (UDP).",
  }),
  sipPort: setting({
    name: 'PARLEY_SIP_PORT',
    readBy: { start: 7860 },
    ...aPort,
    says: 'Telephones (UDP and TCP), with `npm start -- --phone`; the two after it are for Redis and the health of the SIP bridge, 100 from 40 after it for sound.',
  }),
  dataFolder: setting({
    name: 'PARLEY_DATA_DIR',
    readBy: { start: '.parley', commands: '.parley' },
    holds: 'the folder of the local start',
    parse: aText,
    says: 'Folder of database, logs and secrets.',
  }),
  agentHostCount: setting({
    name: 'PARLEY_AGENT_HOSTS',
    readBy: { start: 2 },
    holds: 'a whole number from 1 to 8',
    parse: aWholeNumber(1, 8),
    says: 'Agent host processes; with 2, one takes over when the other dies.',
  }),
  localSpeech: setting({
    name: 'PARLEY_LOCAL_SPEECH',
    readBy: { start: 'natural' },
    holds: '"natural" or "simple"',
    parse: oneOf('natural', 'simple'),
    says: 'What agents hear and speak with on this machine: natural fetches models of Whisper and Piper once, simple is espeak-ng and a grammar.',
  }),
  localModel: setting({
    name: 'PARLEY_LOCAL_MODEL',
    readBy: { agent: optional, start: optional },
    holds: '"off", or the address of a server of OpenAI\'s protocol and the name of a model, with a blank between',
    parse: aText,
    otherwise: 'npm start looks for Ollama and llama.cpp',
    notInStacks: 'in production an agent names its model',
    says: 'A model on this machine that answers for agents which name none, where there is no OPENAI_API_KEY.',
  }),
  agentKey: setting({
    name: 'PARLEY_AGENT_KEY',
    readBy: { commands: optional },
    holds: "an agent's key, pk_…",
    parse: aText,
    secret: true,
    otherwise: 'no conversation is tried',
    says: "An agent's key, with which `npx parley doctor` holds a conversation.",
  }),
};
