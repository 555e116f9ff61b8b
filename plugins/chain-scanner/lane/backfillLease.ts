/** Whoever holds it drains what the chain's lanes owe: a service, or an operator's command. */
export function backfillLease(chainId: number): string {
	return `backfill:${chainId}`;
}
