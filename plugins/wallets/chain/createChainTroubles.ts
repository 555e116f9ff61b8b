import { Fault } from "#core/fault/Fault.ts";

/** Chains that could not be read when they were asked last, as this process knows it. */
export type ChainTroubles = {
	/**
	 * Whether a failed look says something of its chain. Then the submission is remembered, and that
	 * what was looked at since `atMs` was put off.
	 */
	note(error: unknown, failed: { chainId: number; id: string; atMs: number }): boolean;
	/**
	 * Since when a chain could not be read, where one of these was what could not be looked at; null
	 * where it could, or still cannot. Answered once.
	 */
	endedBy(chainId: number, answered: readonly string[]): number | null;
};

type Trouble = { sinceMs: number; failed: Set<string> };

/** Of more the oldest are forgotten: any of them says that it is over. */
const FAILED_MAX = 100;

/**
 * Remembers since when chains could not be read. What is looked at meanwhile is put off further
 * each time, for nothing that it did: it is looked at again once its chain is.
 *
 * Only the answer about what could not be looked at ends it. A node whose head stands still goes on
 * to answer about everything that is not mined.
 */
export function createChainTroubles(): ChainTroubles {
	const troubles = new Map<number, Trouble>();
	return {
		note(error, { chainId, id, atMs }) {
			const isOfChain = error instanceof Fault && /^(?:rpc|chain)_/.test(error.code);
			if (!isOfChain) return false;
			const { sinceMs, failed } = troubles.get(chainId) ?? { sinceMs: atMs, failed: new Set() };
			failed.delete(id);
			failed.add(id);
			for (const oldest of failed) {
				if (failed.size <= FAILED_MAX) break;
				failed.delete(oldest);
			}
			troubles.set(chainId, { sinceMs: Math.min(sinceMs, atMs), failed });
			return true;
		},
		endedBy(chainId, answered) {
			const trouble = troubles.get(chainId);
			if (!trouble || !answered.some((id) => trouble.failed.has(id))) return null;
			troubles.delete(chainId);
			return trouble.sinceMs;
		},
	};
}
