/** What the audit log tells of, by name; `says` is for whoever reads it. */
export const auditActions = {
  'tenant.renamed': 'Gave the tenant another name',
  'invitation.made': 'Invited somebody',
  'invitation.accepted': 'Accepted an invitation',
  'invitation.withdrawn': 'Withdrew an invitation',
  'member.role_changed': "Changed a member's role",
  'member.removed': 'Removed a member',
  'agent.tried': 'Tried an agent',
  'session.ended': 'Ended a conversation',
  'session.erased': 'Erased a conversation',
  'sessions.exported': 'Exported conversations',
  'prompt.changed': "Asked for a change of an agent's prompt",
  'webhook.changed': "Asked for a change of an agent's webhook",
  'webhook.tested': "Sent a test to an agent's webhook",
  'delivery.sent_again': 'Sent a delivery again',
  'key.regenerated': 'Gave an agent a new API key',
  'secret.regenerated': 'Gave an agent a new API secret',
} as const satisfies Record<string, string>;

export type AuditAction = keyof typeof auditActions;
