import { type ChainCore, openChain } from "#plugins/chain-scanner/chain/openChain.ts";
import type { EventSink, Venue } from "#plugins/chain-scanner/contract.ts";
import { scannerFault } from "#plugins/chain-scanner/faults.ts";
import { startBackfill } from "#plugins/chain-scanner/lane/startBackfill.ts";
import { REORG_DEPTH_MOST } from "#plugins/chain-scanner/limits.ts";
import type { ScannerOperator } from "#plugins/chain-scanner/operator/ScannerOperatorKey.ts";
import { readHeaders } from "#plugins/chain-scanner/range/readHeaders.ts";
import { runsOf } from "#plugins/chain-scanner/reorg/runsOf.ts";
import { takeBack } from "#plugins/chain-scanner/reorg/takeBack.ts";
import type { ScannerMetrics } from "#plugins/chain-scanner/scannerMetrics.ts";
import { storedBlocks } from "#plugins/chain-scanner/sql/block.ts";
import { lockChain } from "#plugins/chain-scanner/sql/lockChain.ts";

export type OperatorParts = {
	sinks: readonly EventSink[];
	venues: readonly Venue[];
	metrics: ScannerMetrics;
	reorgDepthMax: number;
	lagBlocksMax: number;
};

/** Makes the scanner's work available one piece at a time and by hand. */
export function createOperator(
	core: ChainCore,
	parts: OperatorParts,
): Pick<ScannerOperator, "drain" | "rewind" | "reorgDepthMax"> {
	return {
		reorgDepthMax: parts.reorgDepthMax,
		async drain(access, { signal, head, onDrained, onFailure }) {
			const { shared, owed, log, backfill } = openChain(core, access, { ...parts, signal });
			const told = { ...backfill, onDrained, onFailure };
			await startBackfill({ ...shared, ...told, sources: owed, log, headLeast: head });
		},
		async rewind({ chain, rpcFor }, block, signal) {
			const chainId = chain.id;
			await core.db.transaction(async (tx) => {
				await lockChain(tx, chainId);
				// All that stays must be of the node's chain, or the alarm would stay too.
				const stored = await storedBlocks(tx, chainId, REORG_DEPTH_MOST);
				const below = stored.filter(({ number }) => number <= block);
				const kept = runsOf(below, parts.reorgDepthMax).map(({ top }) => top);
				const [header, ...others] = await readHeaders(
					rpcFor("live"),
					[block, ...kept.map(({ number }) => number)],
					signal,
				);
				const left = kept.findLast(({ hash }, index) => others[index]?.hash !== hash);
				if (left) throw stillForked(left.number);
				if (!header) throw scannerFault.command({ public: `The node has no block ${block}.` });
				const { number, hash, parentHash } = header;
				const above = { number, hash, parentHash, settled: true };
				await takeBack(tx, { chainId, above, sinks: parts.sinks });
			});
		},
	};
}

function stillForked(block: number) {
	return scannerFault.command({
		public:
			`Block ${block}, which the index stands on, is not of the node's chain: ` +
			`rewind further, to a block below ${block}.`,
	});
}
