import { expect, test } from 'vitest';
import { type ModelTrouble, modelFails, modelIsBack } from '../../services/agent/models/watch.ts';
import { followModels, troubleSentence } from './model-troubles.ts';

const trouble: ModelTrouble = {
  agent: 'restaurant',
  provider: 'openai',
  model: 'gpt-4.1-mini',
  server: 'https://api.openai.com/v1',
  key: 'OPENAI_API_KEY',
  kind: 'unauthorized',
  statusCode: 401,
  said: 'Incorrect API key provided',
};
const local = { ...trouble, key: undefined, model: 'llama3.2', server: 'http://127.0.0.1:11434/v1' };

test.each([
  [trouble, /gpt-4\.1-mini at https:\/\/api\.openai\.com\/v1 refuses the key: it answers 401\..*OPENAI_API_KEY.*\.env/],
  [{ ...local, kind: 'unauthorized' }, /wants a key: name the variable that holds it as apiKey/],
  [{ ...trouble, statusCode: 429 }, /no credit left.*Add credit/],
  [{ ...trouble, kind: 'rate_limited', statusCode: 429 }, /more often than it allows/],
  [
    { ...local, kind: 'rejected', statusCode: 404, said: 'model "llama3.2" not found' },
    /answers 404, "model "llama3\.2" not found".*pull the model first/,
  ],
  [{ ...trouble, kind: 'rejected', statusCode: 400, said: 'Unknown field' }, /answers 400, "Unknown field".*options/],
  [
    { ...local, kind: 'unavailable', statusCode: undefined, said: 'ECONNREFUSED' },
    /cannot be reached \(ECONNREFUSED\).*Start its server/,
  ],
  [{ ...trouble, kind: 'unavailable', statusCode: undefined, said: 'ENOTFOUND' }, /ENOTFOUND.*Check the network/],
  [{ ...trouble, kind: 'unavailable', statusCode: 503, said: 'overloaded' }, /fails: it answers 503, "overloaded"/],
  [{ ...local, kind: 'timeout', said: 'The model did not answer within 10 ms.' }, /within 10 ms\..*more timeoutMs/],
  [{ ...local, kind: 'incomplete', said: 'The stream was not readable.' }, /not readable\..*ending in \/v1/],
] as [ModelTrouble, RegExp][])('what is wrong with a model is said with what to do about it: %#', (given, says) => {
  expect(troubleSentence(given)).toMatch(says);
  expect(troubleSentence(given)).toMatch(/ Meanwhile restaurant and others that use it go on/);
});

test('what several hosts log of one model is said once, however their output is cut, and once that it is back', () => {
  const said: string[] = [];
  const models = followModels((line) => said.push(line));
  const [first, second] = [models.listen(), models.listen()];
  const line = `${JSON.stringify({ level: 'warn', ...trouble, msg: modelFails })}\n`;
  first(`{"msg":"the agent host is up"}\n${line.slice(0, 40)}`);
  expect(said).toEqual([]);
  first(Buffer.from(line.slice(40)));
  second(line);
  second(`not of ours: ${modelFails}\n`);
  expect(said).toEqual([troubleSentence(trouble)]);
  const { provider, model, server } = trouble;
  const back = `${JSON.stringify({ level: 'info', provider, model, server, msg: modelIsBack })}\n`;
  first(back);
  second(back);
  expect(said.slice(1)).toEqual(['The model gpt-4.1-mini at https://api.openai.com/v1 answers again.']);
});

test('a character that is cut in two by the pipe is read whole', () => {
  const said: string[] = [];
  const hear = followModels((line) => said.push(line)).listen();
  const german = { ...trouble, kind: 'rejected', statusCode: 400, said: 'ungültig' } as const;
  const bytes = Buffer.from(`${JSON.stringify({ ...german, msg: modelFails })}\n`);
  const within = bytes.indexOf('ü') + 1;
  hear(bytes.subarray(0, within));
  hear(bytes.subarray(within));
  expect(said).toEqual([troubleSentence(german)]);
});
