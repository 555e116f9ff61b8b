import type { ChainAccess } from "#core/plugin/Core.ts";
import { serviceKey } from "#core/plugin/serviceKey.ts";
import type { LaneKind, Scanner } from "#plugins/chain-scanner/contract.ts";

export type Draining = {
	signal: AbortSignal;
	/** The head as the node told it: on a chain without a lane it is stored nowhere. */
	head: number;
	onDrained(part: { lane: LaneKind; blocks: number; events: number }): void;
	onFailure(code: string): void;
};

/** An operator's actions by hand on a chain whose lanes need not run. */
export type ScannerOperator = Scanner & {
	/** `NFT_REORG_DEPTH_MAX`. */
	reorgDepthMax: number;
	/**
	 * Drains what the chain's lanes owe until the signal aborts, or waits while another process does.
	 */
	drain(access: ChainAccess, draining: Draining): Promise<void>;
	/** Removes everything above a block, which must be one of the node's chain. */
	rewind(access: ChainAccess, block: number, signal: AbortSignal): Promise<void>;
};

/** The scanner as its own commands see it; other plugins have `ScannerKey`. */
export const ScannerOperatorKey = serviceKey<ScannerOperator>()("chain-scanner");
