// Pulumi's loader compiles a pack in TypeScript with a compiler of its own, which is too old for ours; Node runs what is imported as it is.
import './pack.ts';
