/** What is said, and for how many milliseconds the person is silent in between. */
export type Parts = readonly (string | number)[];
/** By what is hard about it. */
export type TurnSet = Readonly<Record<string, readonly Parts[]>>;

export interface Turns {
  /** Each is one turn: whoever answers before its last part is there cuts in. */
  goingOn: TurnSet;
  /** Each is over with its last word: whoever waits is slow. */
  finished: TurnSet;
  /** While the agent speaks: it shall stop. */
  meant: readonly string[];
  /** While the agent speaks: it shall go on. */
  listening: readonly string[];
}

/** By these the words were chosen after which is waited (services/agent/conversation/voice/end-by-words.ts). */
export const tunedTurns: Turns = {
  goingOn: {
    'an open conjunction': [
      ['I would like to book a table and', 1_200, 'a parking space for my car.'],
      ['We cannot come on Friday because', 1_000, 'my sister is in hospital.'],
      ['I would like the roast but', 1_300, 'without the red cabbage.'],
    ],
    'a number in groups': [
      ['My number is zero three zero', 900, 'four four one', 900, 'nine eight seven six.'],
      ['You can reach me at zero one seven six', 1_000, 'two two three', 900, 'five five one.'],
    ],
    'an address': [
      ['My address is', 1_000, 'eighteen Station Road.'],
      ['I live at fifteen', 1_000, 'Church Lane, on the first floor.'],
    ],
    'a long pause in a sentence': [['We would rather sit', 1_400, 'outside in the garden.']],
  },
  finished: {
    statements: [['There was a mistake on the bill.'], ['My parents are coming from Hamburg.'], ['At half past six.']],
    questions: [['Is the kitchen still open?'], ['How far is it from the museum?'], ['Where?']],
    'short answers': [['Six.'], ['Yes please.']],
    'whole numbers and addresses': [
      ['My number is zero three zero four four one nine eight seven six.'],
      ['The address is eighteen Station Road.'],
    ],
  },
  meant: ['wait a minute', 'no, not on Monday', 'I have a question'],
  listening: ['mm-hm', 'okay', 'yeah'],
};

/** Nobody listens to it but the bench: what is found here changes the figures, and no engine and no list of words. */
export const reportedTurns: Turns = {
  goingOn: {
    'an open conjunction': [
      ['I would like a table for Saturday and', 1_200, 'a chair for my little son.'],
      ['We wanted to come today but', 1_000, 'our train was cancelled.'],
      ['I am calling because', 1_500, 'something is wrong with my bill.'],
      ['Could we have the soup and', 1_000, 'some bread for the children?'],
      ['I will take the fish or', 1_300, 'perhaps the dumplings.'],
      ['We need a room for the', 1_200, 'birthday of my grandmother.'],
    ],
    'a number in groups': [
      ['My phone number is zero three zero', 900, 'five five five', 900, 'one two three four.'],
      ['You can call me at zero one seven two', 1_000, 'four four eight', 800, 'nine one six.'],
      ['Two zero six', 1_000, 'five five five', 1_000, 'zero one four nine.'],
      ['The telephone number is four nine seven', 1_200, 'two two eight one.'],
    ],
    'an address': [
      ['My address is', 1_000, 'fourteen Mill Road, on the second floor.'],
      ['I live at twelve', 1_000, 'Garden Street.'],
      ['Please send it to the', 1_100, 'office in King Street number nine.'],
      ['The street number is', 1_200, 'twenty seven.'],
    ],
    'a long pause in a sentence': [
      ['We would like to sit', 1_500, 'near the window, please.'],
      ['The last time we came', 1_200, 'the music was too loud.'],
      ['On Sunday evening', 1_000, 'at about eight.'],
      ['When we arrive', 1_500, 'could somebody help us with the bags?'],
    ],
  },
  finished: {
    statements: [
      ['I have left my umbrella in your garden.'],
      ['We are five people and a dog.'],
      ['A quiet table would be nice.'],
      ['The soup was cold when it came.'],
      ['We will be there at half past seven.'],
    ],
    questions: [
      ['Do you have anything for vegetarians?'],
      ['Is the garden open in the evening?'],
      ['How long do you keep the table for us?'],
      ['Can I pay by card?'],
      ['When?'],
      ['How much?'],
    ],
    'short answers': [['Four.'], ['Yes, please.'], ['On Friday.'], ['No, thank you.'], ['Anna Miller.'], ['At eight.']],
    'whole numbers and addresses': [
      ['My phone number is zero three zero five five five one two three four.'],
      ['The order number is eight zero zero one.'],
      ['The address is nine King Street.'],
    ],
  },
  meant: [
    'wait a moment',
    'no, on Saturday please',
    'sorry, I have another question',
    'can I change that?',
    'that is too late for us',
    'stop',
  ],
  listening: ['mm-hm', 'uh huh', 'okay', 'yeah', 'right', 'oh really'],
};
