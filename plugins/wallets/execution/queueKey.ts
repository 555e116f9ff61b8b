/** The name of a nonce queue within a process. */
export function queueKey({ walletId, chainId }: { walletId: string; chainId: number }): string {
	return `${walletId} ${chainId}`;
}
