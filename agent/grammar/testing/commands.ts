// Lists the commands that the grammar's own tests use.

import type { Command, Slot, Topic } from "#core/plugin/Tool.ts";

/**
 * A list of commands for the grammar's own tests: a few that only read, one for each kind of slot,
 * and many that move value. Another test compares typed texts with the commands of all plugins.
 */
export const commands: readonly Command[] = [
	market("floor", {
		topic: { words: ["floor", "fp", "price", "floor price"] },
		forms: [
			"floor {collection} [on {chain}]",
			"(floor|fp) [price] [(of|for|on)] {collection} [on {chain}]",
			"{collection} (floor|fp) [price] [on {chain}]",
		],
		examples: ["floor kiln folk", "kiln folk fp", "what's the floor price of kiln folk on base?"],
	}),
	market("volume", {
		slots: { window: { kind: "window" } },
		topic: { words: ["volume", "vol"] },
		forms: [
			"volume {collection} [{window}] [on {chain}]",
			"(volume|vol) [(of|for)] {collection} [(in|over)] [the] [(last|past|this)] [{window}] [on {chain}]",
			"(volume|vol) {window} [of] {collection} [on {chain}]",
			"{collection} (volume|vol) [(in|over)] [the] [(last|past|this)] [{window}] [on {chain}]",
		],
		examples: ["volume kiln folk 24h", "kiln folk volume"],
	}),
	market("holders", {
		topic: { words: ["holders", "holder", "owners", "hodlers", "how many holders", "top holders"] },
		forms: [
			"holders {collection} [on {chain}]",
			"[(top|biggest)] (holders|owners) [(of|in)] {collection} [on {chain}]",
			"{collection} (holders|owners) [on {chain}]",
			"how many (holders|owners) (does|do|has) {collection} have [on {chain}]",
		],
		examples: ["holders kiln folk", "how many holders does kiln folk have"],
	}),
	market("lifecycle", {
		topic: { words: ["minting", "revealed"] },
		forms: ["lifecycle {collection} [on {chain}]", "{collection} (minting|revealed) [on {chain}]"],
		examples: ["lifecycle kiln folk", "is kiln folk revealed?"],
	}),
	market("summary", {
		topic: { words: ["summary", "about"] },
		forms: [
			"summary {collection} [on {chain}]",
			"(what is|whats|what's) {collection} [on {chain}]",
			"about {collection} [on {chain}]",
		],
		examples: ["summary kiln folk"],
	}),
	market("token", {
		slots: { token: { kind: "token" } },
		topic: { words: ["rank", "rarity"] },
		forms: [
			"token {collection} {token} [on {chain}]",
			"[(rank|rarity)] [(of|for)] {collection} {token} [(rank|rarity)] [on {chain}]",
			"token {token} (of|in) {collection} [on {chain}]",
		],
		examples: ["token kiln folk #12", "rank of kiln folk #12"],
	}),
	plain("trending", {
		slots: { window: { kind: "window" }, chain: { kind: "chain" } },
		topic: { words: ["trending"] },
		forms: [
			"trending [{window}] [on {chain}]",
			"(trending|cool) [(nfts|mints)] [{window}] [on {chain}]",
		],
		examples: ["trending", "trending 24h on base"],
	}),
	plain("search", {
		slots: { query: { kind: "collection" } },
		forms: ["search {query}", "(find|look up) {query}"],
		examples: ["search kiln", "find kiln"],
	}),
	plain("stock", {
		slots: { asset: { kind: "asset" } },
		forms: ["quote {asset}", "(quote|stock) [(of|for)] {asset}"],
		examples: ["quote AAPL"],
	}),
	plain("wallets", { forms: ["my wallets", "wallets"], examples: ["my wallets"] }),
	plain("intent", {
		slots: { id: { kind: "id" } },
		forms: ["intent {id}", "what happened to {id}"],
		examples: ["intent 0190b2c4-5d6e-7f80-9a1b-2c3d4e5f6071"],
	}),
	moving("cancel", {
		slots: { id: { kind: "id" } },
		forms: ["cancel {id}", "cancel intent {id}"],
		examples: ["cancel 0190b2c4-5d6e-7f80-9a1b-2c3d4e5f6071"],
	}),
	moving("send", {
		slots: { amount: { kind: "amount" }, to: { kind: "address" }, chain: { kind: "chain" } },
		forms: ["send {amount} eth to {to} [on {chain}]"],
		examples: ["send 0.5 eth to 0x1111111111111111111111111111111111111111 on base"],
	}),
	moving("buy_listing", {
		slots: {
			...{ collection: { kind: "collection" }, token: { kind: "token" } },
			...{ most: { kind: "amount" }, chain: { kind: "chain" } },
		},
		forms: [
			"buy {collection} {token} for at most {most} eth [on {chain}]",
			"buy {collection} {token} for (max|up to) {most} eth [on {chain}]",
		],
		examples: ["buy kiln folk #12 for at most 0.5 eth"],
	}),
	moving("buy_with", {
		slots: { asset: { kind: "asset" }, amount: { kind: "amount" }, settlement: settlement() },
		forms: ["buy {asset} with {amount} {settlement}"],
		examples: ["buy AAPL with 100 usdg", "buy $aapl with 0.1 eth"],
	}),
	moving("buy_quantity", {
		slots: { quantity: { kind: "amount" }, asset: { kind: "asset" } },
		forms: ["buy {quantity} {asset}"],
		examples: ["buy 2.5 AAPL"],
	}),
	moving("sell", {
		slots: {
			...{ share: { kind: "word", of: ["half", "all"] }, percent: { kind: "percent" } },
			...{ quantity: { kind: "amount" }, asset: { kind: "asset" }, settlement: settlement() },
		},
		forms: ["sell ({share}|{percent}|{quantity}) [of] [my] {asset} [to {settlement}]"],
		examples: ["sell half of my AAPL to USDG", "sell 25% AAPL", "sell 3 $AAPL"],
	}),
	moving("hold", {
		slots: { asset: { kind: "asset" } },
		forms: ["hold {asset}"],
		examples: ["hold AAPL"],
	}),
	moving("bridge", {
		slots: {
			...{ amount: { kind: "amount" }, currency: { kind: "asset" }, from: { kind: "chain" } },
			...{ to: { kind: "chain" }, as: { kind: "asset" }, recipient: { kind: "address" } },
			...{ refund: { kind: "address" } },
		},
		forms: [
			"bridge {amount} {currency} [from {from}] to {to} [as {as}] [recipient {recipient}] [refund to {refund}]",
		],
		examples: ["bridge 0.5 eth to base", "bridge 100 usdg from 4663 to base as usdc"],
	}),
	moving("snipe", {
		slots: {
			collection: { kind: "collection" },
			most: { kind: "amount" },
			count: { kind: "token" },
		},
		forms: ["snipe {collection} below {most} eth [up to {count}]"],
		examples: ["snipe kiln folk below 0.2 eth up to 3"],
	}),
	moving("pause_snipe", {
		slots: { id: { kind: "id" }, verb: { kind: "word", of: ["pause", "resume"] } },
		forms: ["plan {id} {verb}"],
		examples: ["plan 0190b2c4-5d6e-7f80-9a1b-2c3d4e5f6071 pause"],
	}),
	moving("revoke", {
		slots: { asset: { kind: "asset" }, spender: { kind: "address" } },
		forms: ["revoke {asset} from {spender}"],
		examples: ["revoke usdg from 0x1111111111111111111111111111111111111111"],
	}),
];

/** Returns true for the commands of this list that move value. */
export function isStrict(command: Command): boolean {
	return command.tool.startsWith("do_");
}

type Part = {
	slots?: Record<string, Slot>;
	forms: string[];
	topic?: Topic;
	examples: string[];
};

function market(name: string, { slots, ...part }: Part): Command {
	const own: Record<string, Slot> = { collection: { kind: "collection" }, ...slots };
	return plain(name, { slots: { ...own, chain: { kind: "chain" } }, ...part });
}

function plain(name: string, { slots = {}, forms, examples, topic }: Part): Command {
	const about = topic ? { topic } : {};
	return {
		name,
		forms,
		slots,
		tool: `read_${name}`,
		summary: `Answers ${name}.`,
		examples,
		...about,
	};
}

function moving(name: string, part: Part): Command {
	return { ...plain(name, part), tool: `do_${name}`, prepares: `prepare_${name}` };
}

function settlement(): Slot {
	return { kind: "word", of: ["ETH", "WETH", "USDG"] };
}
