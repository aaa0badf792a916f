/**
 * What is said in the recorded set: none of it is in an agent's phrases. The clean sentences were looked at while the engines were set up
 * (decision 0028), so what is measured with them is not held out.
 */
export const sentences: readonly string[] = [
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
