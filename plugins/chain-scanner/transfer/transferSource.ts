import type { Address } from "#core/chain/Hex.ts";
import type { Rpc } from "#core/chain/rpc/Rpc.ts";
import { ADDRESSES_PER_QUERY_MAX } from "#plugins/chain-scanner/limits.ts";
import { createLogProof } from "#plugins/chain-scanner/range/createLogProof.ts";
import type { LaneSource } from "#plugins/chain-scanner/range/LaneSource.ts";
import { readRange } from "#plugins/chain-scanner/range/readRange.ts";
import type { UndecodedReport } from "#plugins/chain-scanner/range/undecodedReport.ts";
import { bloomsTell } from "#plugins/chain-scanner/transfer/bloomsTell.ts";
import { decodeMoves } from "#plugins/chain-scanner/transfer/decodeMoves.ts";
import { MOVE_TOPICS } from "#plugins/chain-scanner/transfer/moveTopics.ts";

export type TransferSource = LaneSource & {
	/** Reads the same for given contracts: a walk reads one. */
	readOf: (
		watched: readonly Address[],
		...asked: Parameters<LaneSource["read"]>
	) => ReturnType<LaneSource["read"]>;
};

/**
 * Makes the source of the transfer lane: every transfer log of the watched contracts, and of no
 * other. Without any it reads headers only. The answer names the contracts that were read, so that
 * missing moves of others are not taken for none.
 */
export function transferSource(
	rpc: Rpc,
	report: UndecodedReport,
	watchedNow: () => Promise<readonly Address[]>,
): TransferSource {
	const prove = createLogProof(rpc);
	const readOf: TransferSource["readOf"] = async (watched, range, options) => {
		const { signal, unsettledFrom } = options;
		const filters = chunksOf(watched).map((address) => ({ address, topics: [MOVE_TOPICS] }));
		const read = await readRange(rpc, filters, range, { ...options, untimed: true });
		const { logs, blocks, parentHash, logCount, answerBytes } = read;
		if (range.from >= unsettledFrom) {
			const headers = read.headers.filter(({ logsBloom }) => bloomsTell(logsBloom, watched.length));
			const own = watched.map((address) => ({ address: [address], topics: [MOVE_TOPICS] }));
			if (own.length > 0) await prove({ headers, logs, filters: own }, signal);
		}
		const { moves, undecoded } = decodeMoves(logs);
		return {
			range,
			events: [],
			moved: { watched, moves, unsettledFrom },
			blocks,
			parentHash,
			logCount,
			answerBytes,
			report() {
				for (const { log, problem } of undecoded) report.undecoded("transfer", log, problem);
			},
		};
	};
	return {
		kind: "transfer",
		inOrder: true,
		readOf,
		read: async (range, options) => readOf(await watchedNow(), range, options),
	};
}

function chunksOf(addresses: readonly Address[]): Address[][] {
	const chunks: Address[][] = [];
	for (let at = 0; at < addresses.length; at += ADDRESSES_PER_QUERY_MAX) {
		chunks.push(addresses.slice(at, at + ADDRESSES_PER_QUERY_MAX));
	}
	return chunks;
}
