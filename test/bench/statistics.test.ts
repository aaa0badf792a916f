import { describe, expect, test } from 'vitest';
import { figureOf, median, oneFigure, quantile } from './statistics.ts';

describe('statistics of a benchmark', () => {
  test('a quantile is a value that was measured', () => {
    const sample = [5, 1, 4, 2, 3];
    expect(quantile(sample, 0.5)).toBe(3);
    expect(quantile(sample, 0.95)).toBe(5);
    expect(quantile(sample, 0)).toBe(1);
    expect(quantile(sample, 1)).toBe(5);
  });

  test('a median of an even number of values is the mean of the middle two', () => {
    expect(median([4, 1, 3, 2])).toBe(2.5);
    expect(median([3, 1, 2])).toBe(2);
  });

  test('rounds are told by their median, least and most, and held against the target', () => {
    const target = { text: 'at most 0.5', atMost: 0.5 };
    const figure = figureOf({ name: 'ratio', unit: '×', target }, [0.6, 0.4, 0.41]);
    expect(figure).toMatchObject({ value: 0.41, least: 0.4, most: 0.6, met: true });
    expect(figureOf({ name: 'ratio', unit: '×', target }, [0.6, 0.7, 0.4]).met).toBe(false);
  });

  test('a figure without a target claims nothing', () => {
    expect(oneFigure({ name: 'lost', unit: 'texts' }, 0)).toEqual({ name: 'lost', unit: 'texts', value: 0 });
  });
});
