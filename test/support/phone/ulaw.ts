/** G.711 µ-law, as ITU-T G.711 has it: 16-bit samples in one byte each. */

const bias = 132;
const greatest = 32_635;

export function toUlaw(sample: number): number {
  const sign = sample < 0 ? 0x80 : 0;
  const size = Math.min(Math.abs(sample), greatest) + bias;
  let exponent = 7;
  for (let mask = 0x4000; exponent > 0 && !(size & mask); mask >>= 1) exponent -= 1;
  return ~(sign | (exponent << 4) | ((size >> (exponent + 3)) & 15)) & 255;
}

export function fromUlaw(byte: number): number {
  const bits = ~byte & 255;
  const size = (((bits & 15) << 3) + bias) << ((bits >> 4) & 7);
  return bits & 0x80 ? bias - size : size - bias;
}
