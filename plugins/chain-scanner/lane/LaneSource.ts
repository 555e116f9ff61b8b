import type { Hex } from "#core/chain/Hex.ts";
import type { ChainEvent, LaneKind } from "#plugins/chain-scanner/contract.ts";

/** A span of blocks, both ends included. */
export type BlockRange = { from: number; to: number };

/** Everything a lane wants to know about a span. */
export type RangeReading = {
	range: BlockRange;
	/** In chain order. */
	events: ChainEvent[];
	/** Hash of the last block of the range, as the answer to the same request said. */
	lastHash: Hex;
	/** Logs that the largest query answered: what the window adapts to. */
	logCount: number;
	/** Says what did not decode. Called once the range is committed: a range may be read twice. */
	report(): void;
};

/** Reads what one lane is after. Throws `rpcFault`s and `rpc_inconsistent`; never skips a log. */
export type LaneSource = {
	kind: LaneKind;
	read(range: BlockRange, signal: AbortSignal): Promise<RangeReading>;
};
