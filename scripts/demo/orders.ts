import type { Answer } from './bookings.ts';

interface Order {
  id: string;
  /** In words, as the agent reads it out. */
  status: 'processing' | 'shipped' | 'out for delivery' | 'delivered' | 'cancelled';
  items: string;
  /** Days from today; negative: in the past. */
  placed: number;
  delivery: number | null;
  trackingNumber?: string;
}

const orders: readonly Order[] = [
  { id: 'A-1001', status: 'shipped', items: 'Desk lamp', placed: -3, delivery: 1, trackingNumber: 'TR48210017' },
  { id: 'A-1002', status: 'processing', items: 'Office chair, Floor mat', placed: -1, delivery: 4 },
  { id: 'A-1003', status: 'delivered', items: 'Keyboard', placed: -9, delivery: -5, trackingNumber: 'TR48209731' },
  { id: 'A-1004', status: 'cancelled', items: 'Monitor arm', placed: -6, delivery: null },
  { id: 'A-1005', status: 'out for delivery', items: 'Notebook, 3 pieces', placed: -2, delivery: 0 },
];

const dayMs = 86_400_000;

/** The order as a shop's endpoint would send it, its dates close to today; 404 for an unknown number. */
export function findOrder(id: string, now = new Date()): Answer {
  const order = orders.find((known) => known.id === normal(id));
  if (!order) return { status: 404, body: { message: `There is no order ${id}.` } };
  const day = (offset: number) => new Date(now.getTime() + offset * dayMs).toISOString().slice(0, 10);
  const { placed, delivery, trackingNumber = '', ...rest } = order;
  const deliveryOn = delivery === null ? 'none' : day(delivery);
  return { status: 200, body: { ...rest, placedOn: day(placed), deliveryOn, trackingNumber } };
}

/** People say "a 1001" and "1001" as well. */
function normal(id: string): string {
  const [digits] = /\d+/.exec(id) ?? [];
  return /^\s*(a?[\s-]*)\d+\s*$/i.test(id) && digits ? `A-${digits}` : id;
}
