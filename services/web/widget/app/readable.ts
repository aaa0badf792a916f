import { contrast, hexOf, inkOn, type Rgb, rgbOf } from '../loader/colour.ts';

const steps = 20;

/** This colour, moved towards what can be read on `ground` as far as it takes for a ratio of `least`. */
export function readableOn(ground: string, colour: string, least = 4.5): string {
  const from = rgbOf(colour);
  const to = rgbOf(inkOn(ground));
  for (let step = 0; step <= steps; step += 1) {
    const mixed = hexOf(from.map((part, index) => part + (((to[index] ?? 0) - part) * step) / steps) as unknown as Rgb);
    if (contrast(mixed, ground) >= least) return mixed;
  }
  return inkOn(ground);
}
