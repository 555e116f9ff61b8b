/**
 * Returns the name of the lease for draining what the chain's lanes owe: held by a service, or an
 * operator's command.
 */
export function backfillLease(chainId: number): string {
	return `backfill:${chainId}`;
}
