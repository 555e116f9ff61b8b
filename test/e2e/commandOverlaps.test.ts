import { expect, test } from "bun:test";
import { createGrammar } from "#agent/grammar/Grammar.ts";
import { overlapsOf } from "#agent/grammar/testing/overlapsOf.ts";
import { builtinChains } from "#core/chain/builtinChains.ts";
import { createChainRegistry } from "#core/chain/Chain.ts";
import type { Command } from "#core/plugin/Tool.ts";
import { marketCommands } from "#plugins/market-index/agent/marketCommands.ts";
import { buyCommands } from "#plugins/nft-buys/buyTools.ts";
import { plansCommands } from "#plugins/reveal-snipe/plansTools.ts";
import { holdingCommands } from "#plugins/trading/holdingTools.ts";
import { stockCommands } from "#plugins/trading/stockTools.ts";
import { transferCommands } from "#plugins/transfers/transferTools.ts";
import { walletCommands } from "#plugins/wallets/agent/walletTools.ts";

const commands: readonly Command[] = [
	...marketCommands,
	...walletCommands,
	...transferCommands,
	...buyCommands,
	...plansCommands,
	...stockCommands,
	...holdingCommands,
];
/** Commands that move something, or take back such a move, one by one as their tools say. */
const MOVING = /^(send|buy_nft|cancel|snipe|(pause|resume|cancel)_plan)$/;
const options = {
	isStrict: ({ name }: Command) => MOVING.test(name),
	chains: createChainRegistry(builtinChains),
};

test("no text is read by two commands of all plugins together", () => {
	expect(overlapsOf(commands, options)).toEqual([]);
});

test("each example of a command is read, with the values that its author typed", () => {
	const grammar = createGrammar(commands, options);
	for (const { name, examples } of commands) {
		for (const example of examples) {
			const parsed = grammar.parse(example);
			expect([example, parsed.kind === "read" && parsed.reading.command.name]).toEqual([
				example,
				name,
			]);
		}
	}
});
