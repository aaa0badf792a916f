// A conversation with an agent in a terminal, from Node: npm install @livekit/rtc-node, then node chat.mjs <base URL> <the agent's key>.
import { createInterface } from 'node:readline';

process.env.NODE_ENV ??= 'production'; // Otherwise the library shows how it works.
const { dispose, Room } = await import('@livekit/rtc-node');

const [baseUrl, key] = process.argv.slice(2);
const post = (path, body) =>
  fetch(`${baseUrl}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  }).then(async (response) => {
    const answer = await response.json();
    if (!response.ok) throw new Error(answer.message);
    return answer;
  });

const { sessionId, wsUrl, token } = await post('/api/sessions', { interactionMode: 'TEXT' });
const room = new Room();
// Before connecting: the greeting comes at once. A reply comes as it is made, and is complete when its stream closes.
room.registerTextStreamHandler('lk.transcription', async (reader) => console.log(`agent> ${await reader.readAll()}`));
await room.connect(wsUrl, token, { autoSubscribe: true, dynacast: false });
for await (const line of createInterface({ input: process.stdin })) {
  await room.localParticipant.sendText(line.trim(), { topic: 'lk.chat' });
}
await post(`/api/sessions/${sessionId}/end`, {});
await room.disconnect();
await dispose();
