// On a node: `forward.mjs <port> <address> <port there>` leads whoever connects to the port of loopback on to the address.
import { connect, createServer } from 'node:net';

const [, , port, address, portThere] = process.argv;
createServer((near) => {
  const far = connect(Number(portThere), address);
  for (const [one, other] of [
    [near, far],
    [far, near],
  ]) {
    one.pipe(other);
    one.on('error', () => other.destroy());
    one.on('close', () => other.destroy());
  }
}).listen(Number(port), '127.0.0.1');
