/** What a page of a tenant is given. */
export interface TenantPageProps {
  /** What stands in the address in the places of `:names`. */
  params: Record<string, string>;
}
