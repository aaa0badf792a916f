import { afterAll, beforeAll, describe, test } from 'vitest';
import { type ProofWorld, startProofWorld } from './proof-world.ts';
import { databaseAway, proofs } from './proofs.ts';

describe('the proofs of the core', () => {
  let world: ProofWorld;

  beforeAll(async () => {
    world = await startProofWorld();
  });

  afterAll(async () => {
    await world?.[Symbol.asyncDispose]();
  });

  test.for([...proofs, databaseAway(20_000)])('$name', async (proof) => {
    await proof.run(world).catch((error: Error) => {
      throw new Error(`${error.message}\n${world.world.output()}`, { cause: error });
    });
  });
});
