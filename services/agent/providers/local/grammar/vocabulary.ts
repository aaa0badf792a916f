/** What every conversation may hold, whatever its script: by base language. Others have none of their own. */
export interface LanguageWords {
  /** Understood always, alone or before something else. */
  always: readonly string[];
  /** What stands between the words that a script names where it says "anything". */
  little: readonly string[];
  /** How people begin before they come to what a script names. */
  leads: readonly string[];
  /** What stands between two things that are said in one breath. */
  joints: readonly string[];
  /** Words that patterns often abbreviate, such as `nov`. */
  calendar: readonly string[];
  /** How people name a day that is near. */
  days: readonly string[];
  /** How a stem may end, where no dictionary tells. */
  endings: readonly string[];
  /** For "my name is …"; an agent's own go under `keywords`. */
  names: readonly string[];
  /** As it is written and as it is said, such as `24th`. */
  ordinal(day: number): { written: string; spoken: string };
  /** As it is written and as it is said, such as `8:30`. */
  clock(hour: number, minute: number): { written: string; spoken: string };
}

const list = (words: string): readonly string[] => words.trim().split(/\s+/u);

const lines = (text: string): readonly string[] => text.split('|').map((line) => line.trim().replaceAll(/\s+/gu, ' '));

const english: LanguageWords = {
  always: ['yes', 'no', 'hello', 'thanks', 'thank you', 'goodbye', 'stop', 'okay', 'please', 'yes please', 'no thanks'],
  little: list('a an the my our your to for me us some in on at it that with this'),
  leads:
    lines(`i'd like | i'd like to | i would like | i would like to | i want | i want to | i need | i need to | we'd like | we'd like to |
    we would like to | can i | can we | can you | could i | could you | may i | do you have | do you | have you got | is there | are there |
    are you | what's | what is | what are | when are you | where are you | how do i | how can i | i have | i have a | i'm | i am | it's | tell me |
    please | hello | hi | well | so | then | good then | the | a | my | there will be | is it | do i`),
  joints: list('and then also for at on the a please'),
  calendar:
    list(`january february march april may june july august september october november december monday tuesday wednesday
    thursday friday saturday sunday`),
  days: lines(
    'today | tonight | tomorrow | the day after tomorrow | Monday | Tuesday | Wednesday | Thursday | Friday | Saturday | Sunday',
  ),
  endings: ['', 's', 'ed', 'ing', 'y'],
  names:
    list(`adams alex alice amy anna baker ben bob brown carol charles chris clark daniel david davis ellen emma eve frank
    george green hall harris helen henry jack jackson james jane john johnson jones julia kate laura lee lewis linda lucy maria mark martin
    mary michael miller moore paul peter robert robinson ryan sarah scott smith susan taylor thomas tom turner walker white
    william williams wilson wright young ada lovelace`),
  ordinal: (day) => ({ written: `${day}${englishEnding(day)}`, spoken: `${day}${englishEnding(day)}` }),
  clock: (hour, minute) => ({
    written: `${hour}:${`${minute}`.padStart(2, '0')}`,
    spoken: minute === 0 ? `${hour} o'clock` : `${hour} ${minute}`,
  }),
};

function englishEnding(day: number): string {
  if (day % 100 >= 11 && day % 100 <= 13) return 'th';
  return ['th', 'st', 'nd', 'rd'][day % 10] ?? 'th';
}

const german: LanguageWords = {
  always: ['ja', 'nein', 'hallo', 'guten tag', 'danke', 'tschüss', 'stopp', 'okay', 'bitte', 'ja bitte', 'nein danke'],
  little: list(
    'ein eine einen einem einer der die das den dem ich wir sie es mir mein meine zu für bei mit von im am um noch',
  ),
  leads:
    lines(`ich möchte | ich möchte gern | ich möchte bitte | ich hätte gern | ich würde gern | ich will | ich muss | ich brauche | ich habe |
    ich habe eine | ich habe einen | wir möchten | wir hätten gern | wir sind | ich bin | kann ich | können wir | könnte ich | darf ich | haben sie |
    habt ihr | gibt es | sind sie | was ist | was gibt es | wann haben sie | wann habt ihr | wo ist | wie komme ich | es geht um | bitte | hallo |
    guten tag | guten morgen | guten abend | guten morgen ich möchte | also | dann | der | die | das | ein | eine | einen | mein | meine | zu`),
  joints: list('und dann auch für um am im bitte also'),
  calendar:
    list(`januar februar märz april mai juni juli august september oktober november dezember montag dienstag mittwoch donnerstag
    freitag samstag sonnabend sonntag`),
  days: lines(`heute | heute Abend | morgen | morgen Abend | übermorgen | Montag | Dienstag | Mittwoch | Donnerstag | Freitag | Samstag |
    Sonntag`),
  endings: ['', 'e', 'en', 'er', 't', 'ung'],
  names:
    list(`anna bauer becker ben braun christian clara david emma fischer frank hans hartmann hoffmann jan jonas julia klein koch
    krause krüger lange laura lehmann lena leon lisa maier maria martin max meyer michael müller neumann paul peter richter sabine schäfer
    schmidt schmitz schneider schröder schulz schwarz sophie stefan thomas wagner weber werner wolf zimmermann`),
  ordinal: (day) => ({ written: `${day}.`, spoken: germanOrdinal(day) }),
  clock: (hour, minute) => ({
    written: `${hour}:${`${minute}`.padStart(2, '0')}`,
    spoken: minute === 0 ? `${hour} uhr` : `${hour} uhr ${minute}`,
  }),
};

const germanUnits = list('null ein zwei drei vier fünf sechs sieben acht neun zehn elf zwölf');
const irregular: Readonly<Record<number, string>> = { 1: 'ersten', 3: 'dritten', 7: 'siebten', 8: 'achten' };

function germanOrdinal(day: number): string {
  if (irregular[day]) return irregular[day];
  if (day < 13) return `${germanUnits[day]}ten`;
  if (day < 20) return `${{ 16: 'sech', 17: 'sieb' }[day] ?? germanUnits[day - 10]}zehnten`;
  const tens = day < 30 ? 'zwanzigsten' : 'dreißigsten';
  return day % 10 === 0 ? tens : `${germanUnits[day % 10]}und${tens}`;
}

const none: LanguageWords = {
  always: [],
  little: [],
  leads: [],
  joints: [],
  calendar: [],
  days: [],
  endings: [''],
  names: [],
  ordinal: (day) => ({ written: `${day}.`, spoken: `${day}.` }),
  clock: english.clock,
};

export const wordsOf = (language: string): LanguageWords =>
  ({ en: english, de: german })[language.toLowerCase().split('-')[0] ?? ''] ?? none;
