// Starts a script of ours on the Node of node_modules, after making sure that node_modules is what package-lock.json says.
// Plain JavaScript, and nothing imported statically that an old Node lacks: this file runs before anything is installed.
const oldestNode = 20;

if (Number(process.versions.node.split('.')[0]) < oldestNode) {
  console.error(`Node ${process.versions.node} is too old: install Node ${oldestNode} or newer and try again.`);
  process.exit(1);
}

const { install, Interrupted } = await import('./toolchain/install.mjs');
const { runOnOurNode } = await import('./toolchain/our-node.mjs');

const [script, ...args] = process.argv.slice(2);
if (!script) {
  console.error('Usage: node scripts/bootstrap.mjs <script> [arguments]');
  process.exit(1);
}

try {
  await install();
  runOnOurNode(script, args);
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
  // As if we had never listened for it: whoever called us sees what ended us.
  if (error instanceof Interrupted) process.kill(process.pid, error.signal);
}
