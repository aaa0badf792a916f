import { aText, aWholeNumber } from '../../process/environment.ts';
import { group, optional, setting } from '../setting.ts';

/**
 * The least of two rounds in which no turn was missed and answers came at most 0.1 s later than those of one session, on one core
 * (docs/performance.md, "Voice: sessions on one core"; the other round held 20). Hosts with more than a core are told so.
 */
const voiceSessionsOfOneCore = 12;

export const agentHosts = {
  capacity: setting({
    name: 'PARLEY_AGENT_CAPACITY',
    readBy: { agent: 200 },
    holds: 'a number of sessions, 1 to 5000',
    parse: aWholeNumber(1, 5_000),
    says: 'Sessions that a host carries at most.',
  }),
  voiceCapacity: setting({
    name: 'PARLEY_VOICE_CAPACITY',
    readBy: { agent: voiceSessionsOfOneCore },
    holds: 'a number of spoken sessions, 0 to 1000',
    parse: aWholeNumber(0, 1_000),
    says: 'Spoken sessions among them, where this host can hear and speak. The default is measured for one core.',
  }),
  warmRooms: setting({
    name: 'PARLEY_WARM_ROOMS',
    readBy: { agent: 4 },
    holds: 'a number of rooms, 0 to 500',
    parse: aWholeNumber(0, 500),
    says: 'Rooms that a host keeps ready for sessions to come; more after a burst.',
  }),
  warmRoomSeconds: setting({
    name: 'PARLEY_WARM_ROOM_SECONDS',
    readBy: { agent: 300 },
    holds: 'a number of seconds, 1 to 3600',
    parse: aWholeNumber(1, 3_600),
    says: 'How long each of them is kept before another takes its place: a room server that drains waits so long for them.',
  }),
  retireAtMb: setting({
    name: 'PARLEY_RETIRE_AT_MB',
    readBy: { agent: 0 },
    holds: 'a number of megabytes, 0 for never',
    parse: aWholeNumber(0, 1_000_000),
    says: 'Resident memory at which a host looks for a moment to leave and be started anew; 0 for never.',
  }),
  owedFolder: setting({
    name: 'PARLEY_OWED_DIR',
    readBy: { agent: optional },
    holds: 'a folder on a disk of the machine, that can be written; at most some 80 characters',
    parse: aText,
    otherwise: 'it is in memory only, and lost when the host is killed meanwhile',
    says: 'While PostgreSQL is away, what conversations owe it is kept here, sealed with the master keys, and made up for by whichever host starts with this folder next. Hosts may share it.',
  }),
  speech: group({
    python: setting({
      name: 'PARLEY_SPEECH_PYTHON',
      readBy: { agent: optional },
      holds: "the path of a Python with PyPI's pocketsphinx",
      parse: aText,
      otherwise: 'nothing is recognised by grammar',
      notInStacks: 'the image sets it',
      says: "A Python with PyPI's pocketsphinx: recognition on the host, by the grammar of an agent's script.",
    }),
    models: setting({
      name: 'PARLEY_SPEECH_MODELS',
      readBy: { agent: optional },
      holds: 'the path of a file that `parley speech fetch` writes',
      parse: aText,
      otherwise: 'espeak-ng speaks, and recognition is by grammar',
      notInStacks: "it belongs to an image of one's own, and is given under `environment`",
      says: 'Which models of Whisper and Piper were fetched to this machine, and the Python that runs them.',
    }),
    recognizer: setting({
      name: 'PARLEY_SPEECH_RECOGNIZER',
      readBy: { agent: optional },
      holds: 'a program with its arguments, separated by blanks',
      parse: aText,
      otherwise: 'there is none',
      notInStacks: "it belongs to an image of one's own, and is given under `environment`",
      says: 'A recogniser of your own, which speaks the protocol of [speech.md](write-agents/speech.md).',
    }),
  }),
};
