import { Fault } from "#core/fault/Fault.ts";

/** Chains that could not be read when they were asked last, as this process knows it. */
export type ChainTroubles = {
	/** Whether a failed look says something of its chain; remembered until the chain is read. */
	isOf(error: unknown, asked: { chainId: number; atMs: number }): boolean;
	/** Since when a chain that is read now could not be read; null where it could. Asked once. */
	endedBy(chainId: number): number | null;
};

/**
 * Remembers since when chains could not be read. What is looked at meanwhile is put off further
 * each time, for nothing that it did: it is looked at again once its chain is.
 */
export function createChainTroubles(): ChainTroubles {
	const sinceMs = new Map<number, number>();
	return {
		isOf(error, { chainId, atMs }) {
			const isOf = error instanceof Fault && /^(?:rpc|chain)_/.test(error.code);
			if (isOf && !sinceMs.has(chainId)) sinceMs.set(chainId, atMs);
			return isOf;
		},
		endedBy(chainId) {
			const since = sinceMs.get(chainId) ?? null;
			sinceMs.delete(chainId);
			return since;
		},
	};
}
