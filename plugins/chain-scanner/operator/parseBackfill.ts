import type { LaneKind } from "#plugins/chain-scanner/contract.ts";
import { scannerFault } from "#plugins/chain-scanner/faults.ts";
import { parseBlock } from "#plugins/chain-scanner/operator/parseBlock.ts";
import { parseFlags } from "#plugins/chain-scanner/operator/parseFlags.ts";
import type { BlockRange } from "#plugins/chain-scanner/sql/block.ts";

export const BACKFILL_USAGE =
	"backfill --chain <slug> --from <block> --to <block> [--lane mint|sale]";

export type BackfillAsk = {
	chain: string | undefined;
	range: BlockRange;
	/** Mints and sales by default; owners have walks of their own. */
	lanes: readonly LaneKind[];
};

/** Parses the arguments of `svc backfill`. */
export function parseBackfill(args: readonly string[]): BackfillAsk {
	const flags = parseFlags(args, {
		usage: BACKFILL_USAGE,
		values: ["chain", "from", "to", "lane"],
	});
	const from = parseBlock("from", flags.get("from"));
	const to = parseBlock("to", flags.get("to"));
	if (from > to) {
		throw scannerFault.command({ public: `--from ${from} lies above --to ${to}.` });
	}
	return { chain: flags.get("chain"), range: { from, to }, lanes: lanesOf(flags.get("lane")) };
}

function lanesOf(name: string | undefined): readonly LaneKind[] {
	if (name === undefined) return ["mint", "sale"];
	if (name === "mint" || name === "sale") return [name];
	throw scannerFault.command({ public: `--lane is "${name}": it takes mint or sale.` });
}
