import { expect, test } from 'vitest';
import { nativeLayerIsQuiet, quietNativeLayer } from './quiet-native-layer.ts';

test('the pinned binding is initialised without its log', () => {
  expect(nativeLayerIsQuiet).toBe(true);
});

test('everything but the capture of logs is handed on as it came', () => {
  const calls: unknown[][] = [];
  const bindings = { livekitInitialize: (...args: unknown[]) => calls.push(args) };
  expect(quietNativeLayer(bindings)).toBe(true);
  bindings.livekitInitialize('callback', true, '0.13.35');
  expect(calls).toEqual([['callback', false, '0.13.35']]);
});

test('a binding that has changed is left alone', () => {
  expect(quietNativeLayer({})).toBe(false);
});
