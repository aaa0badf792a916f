/** What a person may be in a tenant, from the least to the most. */
export const roles = ['viewer', 'editor', 'admin', 'owner'] as const;
export type Role = (typeof roles)[number];

/** Whether `role` may do what takes at least `least`. */
export const isAtLeast = (role: Role, least: Role): boolean => roles.indexOf(role) >= roles.indexOf(least);
