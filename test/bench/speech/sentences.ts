/**
 * What is said in the half of the recorded set by which the engines were set up (decision 0028), by voices that they speak with. None of
 * it is in an agent's phrases.
 */
export const tunedOn: readonly string[] = [
  'Good morning, I am calling about the table that we talked about last week.',
  'Could you tell me whether the kitchen is still open after ten in the evening?',
  'We would rather sit outside if the weather stays as nice as it is today.',
  'My parents are coming from Hamburg, and my father does not eat any fish.',
  'Please write down that one of us needs a chair without arms.',
  'The train arrives at a quarter past six, so we may be a little late.',
  'How far is it on foot from the museum to your front door?',
  'I left a black umbrella at your place yesterday afternoon.',
  'Is the soup of the day made with cream or with coconut milk?',
  'Nobody picked up the phone when I tried to call you this morning.',
  'Can you send the confirmation to my office instead of my home?',
  'There was a mistake on the bill, and I would like to talk about it.',
  'What would you recommend to somebody who has never been to Berlin?',
  'I do not remember under which name my colleague made the booking.',
  'The children would love to see how the cakes are made.',
  'Let me think about it, and I will call you back before noon.',
  'Yes, that sounds wonderful, thank you very much for your help.',
  'No, I am afraid that is not what I was asking for.',
  'Would it be possible to bring our own wine for a special birthday?',
  'The address is twelve Garden Street, on the third floor on the left.',
];

/**
 * What is said in the half that is reported, by voices of recorded people (recorded-voices.ts). Nobody listens to it but the bench: what is
 * found there changes the figures, and no engine.
 */
export const heldOut: readonly string[] = [
  'Hello, I am trying to find out whether you still have my blue scarf.',
  'We were at your place on Sunday, and the cheese was really excellent.',
  'Could somebody help my grandmother up the stairs when we arrive?',
  'I would rather have a quiet corner, because we have a lot to discuss.',
  'Does the price of the dinner include the drinks and the coffee?',
  'Our flight was delayed, so please keep everything warm for us.',
  'My daughter turns eight this week, and she wishes for a chocolate cake.',
  'Is it true that you bake your own bread in the old oven?',
  'Please tell the cook that the dumplings reminded me of my childhood.',
  'I forgot to ask whether we can leave the bicycles in your yard.',
  'Which wine would go well with the roast and the red cabbage?',
  'The last time we came, the music was a little too loud for us.',
  'Can you read the letter back to me so that I can check it?',
  'We may bring a friend along, but she has not made up her mind.',
  'What happens to my deposit if the weather turns bad on that day?',
  'I am standing in front of a green door, and nobody opens it.',
  'Would you mind spelling the name of the street for me once more?',
  'Some of the guests come from far away and do not speak German.',
  'Sorry, I was distracted, could you repeat the last part again?',
  'That would be all from my side, have a pleasant evening.',
];

/** In figures as dictation writes it, and as people say it: both count as right. */
const figures: Readonly<Record<string, string>> = {
  '10': 'ten',
  '12': 'twelve',
  '6': 'six',
  '15': 'quarter',
  '3rd': 'third',
};

/** Words without marks and capital letters. */
export const wordsOf = (text: string): string[] =>
  text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}' ]/gu, ' ')
    .split(/\s+/u)
    .filter((word) => word !== '')
    .map((word) => figures[word] ?? word);
