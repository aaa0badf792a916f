/** The name under which jobs are dispatched to the stock worker. */
export const stockAgentName = 'stock';
