import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);
const answerWithinMs = 20_000;
const longestAnswer = 16 * 1024 * 1024;

/** What AWS answers to a command, such as `eks describe-cluster`; undefined where it has no such thing, or not yet. */
export type Ask = <Answer>(...words: readonly string[]) => Promise<Answer | undefined>;

/** Of EKS, RDS and ElastiCache, as their APIs name them. */
const isNotThere = /\((ResourceNotFoundException|DBInstanceNotFound(Fault)?|ReplicationGroupNotFoundFault)\)/;

/**
 * By the AWS CLI, which operators have for the cluster's tokens, too.
 * @param where how it is told the account, such as `['--region', 'eu-west-1']`
 */
export const askBy =
  (where: readonly string[]): Ask =>
  async <Answer>(...words: readonly string[]) => {
    const options = { timeout: answerWithinMs, maxBuffer: longestAnswer };
    try {
      const { stdout } = await run('aws', [...where, ...words, '--output', 'json'], options);
      return JSON.parse(stdout) as Answer;
    } catch (error) {
      const { stderr = '', message } = error as { stderr?: string; message: string };
      if (isNotThere.test(stderr)) return undefined;
      throw new Error(stderr.trim().split('\n').at(-1) || message, { cause: error });
    }
  };
