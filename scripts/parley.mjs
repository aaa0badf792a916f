#!/usr/bin/env node
// `npx parley …`. Plain JavaScript: see bootstrap.mjs, which starts parley.ts once the dependencies are there.
import { fileURLToPath } from 'node:url';

process.argv.splice(2, 0, fileURLToPath(new URL('./parley.ts', import.meta.url)));
await import('./bootstrap.mjs');
