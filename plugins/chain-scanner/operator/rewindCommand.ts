import type { CliCommand } from "#core/plugin/CliCommand.ts";
import { scannerFault } from "#plugins/chain-scanner/faults.ts";
import { findChain } from "#plugins/chain-scanner/operator/findChain.ts";
import { parseBlock } from "#plugins/chain-scanner/operator/parseBlock.ts";
import { parseFlags } from "#plugins/chain-scanner/operator/parseFlags.ts";
import { ScannerOperatorKey } from "#plugins/chain-scanner/operator/ScannerOperatorKey.ts";

const USAGE = "rewind --chain <slug> --to <block> --yes";

/**
 * Recovers from a reorg that is deeper than lanes take back by themselves: the operator states how
 * deep it is.
 */
export const rewindCommand: CliCommand = {
	name: "rewind",
	usage: USAGE,
	summary: "take everything above a block out of the index; lanes read it again",
	async run(args, context) {
		const flags = parseFlags(args, { usage: USAGE, values: ["chain", "to"], words: ["yes"] });
		const block = parseBlock("to", flags.get("to"));
		const chain = flags.get("chain");
		// Checked before anything is opened, as opening starts a database.
		if (flags.get("yes") !== "true") {
			throw scannerFault.command({
				public: `This takes everything above block ${block} of ${chain ?? "a chain"} out of the index; add --yes.`,
			});
		}
		const { core, needs, close } = await context.openCore({ scanner: ScannerOperatorKey });
		try {
			const access = findChain(core, chain);
			const { slug } = access.chain;
			await needs.scanner.rewind(access, block, context.interrupted());
			context.note(`${slug} stands at block ${block}; its lanes go on from there`);
			return 0;
		} finally {
			await close();
		}
	},
};
