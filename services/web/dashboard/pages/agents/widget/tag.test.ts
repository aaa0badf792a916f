import { expect, test } from 'vitest';
import { policyOf, previewOf, tagOf } from './tag.ts';

const origin = 'https://acme.example.com';
const key = `pk_${'a'.repeat(43)}`;

test('the tag has what was chosen, under the names of its attributes, and nothing that was left to the file', () => {
  const chosen = { voiceId: 'eva', title: 'Ask "us" & <them>', theme: '', subtitle: '  ' };
  expect(tagOf({ origin, key, chosen })).toBe(
    `<script src="${origin}/widget.js" data-agent-key="${key}" data-voice-id="eva" data-title="Ask &quot;us&quot; &amp; &lt;them>" async></script>`,
  );
});

test('the preview is told the same', () => {
  expect(previewOf(key, { color: '#0f6b5c', mode: '' })).toBe(`/widget-preview?key=${key}&color=%230f6b5c`);
  expect(previewOf(key, { target: '.chat' })).toBe(`/widget-preview?key=${key}&target=%23place`);
});

test('a policy allows the script, the service and the rooms', () => {
  expect(policyOf(origin, 'wss://rooms.example.com')).toBe(
    `script-src ${origin};\nconnect-src ${origin} wss://rooms.example.com https://rooms.example.com;`,
  );
});

test('where the agent asks for a challenge, a policy allows what its provider draws', () => {
  const rooms = 'wss://rooms.example.com https://rooms.example.com';
  const turnstile = 'https://challenges.cloudflare.com';
  expect(policyOf(origin, 'wss://rooms.example.com', 'turnstile')).toBe(
    `script-src ${origin} ${turnstile};\nconnect-src ${origin} ${rooms};\nframe-src ${turnstile};`,
  );
  const hcaptcha = 'https://hcaptcha.com https://*.hcaptcha.com';
  expect(policyOf(origin, 'wss://rooms.example.com', 'hcaptcha')).toBe(
    `script-src ${origin} ${hcaptcha};\nconnect-src ${origin} ${rooms} ${hcaptcha};\nframe-src ${hcaptcha};\nstyle-src ${hcaptcha};`,
  );
});
