import type { Command, Slot } from "#core/plugin/Command.ts";

/**
 * A list of commands like the one that all plugins give together. Half of it moves something.
 */
export const commands: readonly Command[] = [
	market("floor", {
		forms: [
			"floor {collection} [on {chain}]",
			"(floor|fp) [price] [(of|for|on)] {collection} [on {chain}]",
			"{collection} (floor|fp) [price] [on {chain}]",
			"how much is [the] (floor|fp) [price] [(of|for|on)] {collection} [on {chain}]",
			"how much is [a] {collection} [on {chain}]",
			"how much does [a] {collection} cost [on {chain}]",
			"cheapest {collection} [on {chain}]",
			"price [of] {collection} [on {chain}]",
			"{collection} price [on {chain}]",
		],
		examples: ["floor kiln folk", "kiln folk fp", "what's the floor price of kiln folk on base?"],
	}),
	market("volume", {
		slots: { window: { kind: "window" } },
		forms: [
			"volume {collection} [{window}] [on {chain}]",
			"(volume|vol) [{window}] (of|for|on) {collection} [on {chain}]",
			"[{window}] (volume|vol) [(of|for|on)] {collection} [on {chain}]",
			"(volume|vol) [(of|for|on)] {collection} [(in|over|for)] [the] [(last|past|this)] [{window}] [on {chain}]",
			"{collection} (volume|vol) [(in|over)] [the] [(last|past|this)] [{window}] [on {chain}]",
			"{collection} {window} (volume|vol) [on {chain}]",
			"how much (volume|vol) (has|did) {collection} (done|do|have|had|traded) [(in|over)] [the] [(last|past|this)] [{window}] [on {chain}]",
			"how much has {collection} traded [(in|over)] [the] [(last|past|this)] [{window}] [on {chain}]",
		],
		examples: ["volume kiln folk 24h", "24h volume of kiln folk"],
	}),
	market("sales", {
		slots: { window: { kind: "window" } },
		forms: [
			"sales {collection} [{window}] [on {chain}]",
			"[(last|latest|recent)] sales [(of|for|on|in)] {collection} [(in|over)] [the] [(last|past|this)] [{window}] [on {chain}]",
			"{collection} [(last|latest|recent)] sales [(in|over)] [the] [(last|past|this)] [{window}] [on {chain}]",
			"(how many|number of) {collection} [(have|were|got|has)] [been] sold [(in|over)] [the] [(last|past|this)] [{window}] [on {chain}]",
			"how many sales [(of|for|on|in|has|did|does)] {collection} [(have|had)] [(in|over)] [the] [(last|past|this)] [{window}] [on {chain}]",
			"(last|latest|recent) sale (of|for|on|in) {collection} [on {chain}]",
			"who bought {collection} [on {chain}]",
		],
		examples: ["sales kiln folk 1h", "recent sales of kiln folk"],
	}),
	market("mints", {
		slots: { window: { kind: "window" } },
		forms: [
			"mints {collection} [{window}] [on {chain}]",
			"[(last|latest|recent)] mints [(of|for|on|in)] {collection} [(in|over)] [the] [(last|past|this)] [{window}] [on {chain}]",
			"{collection} mints [(in|over)] [the] [(last|past|this)] [{window}] [on {chain}]",
			"how many {collection} [(have|were|got|has)] [been] minted [{window}] [on {chain}]",
			"how many mints [(of|for|on|in|has|did|does)] {collection} [(have|had)] [(in|over)] [the] [(last|past|this)] [{window}] [on {chain}]",
		],
		examples: ["mints kiln folk 1h"],
	}),
	market("holders", {
		forms: [
			"holders {collection} [on {chain}]",
			"[(top|unique|biggest)] (holders|owners|whales) [(of|for|in)] {collection} [on {chain}]",
			"{collection} [(top|unique|biggest)] (holders|owners|whales) [on {chain}]",
			"how many [unique] (holders|owners|wallets|people) (does|do|has) {collection} have [on {chain}]",
			"how many [unique] (holders|owners) {collection} (have|has) [on {chain}]",
			"how many [unique] (holders|owners) [(of|for|in|has)] {collection} [on {chain}]",
			"how many (people|wallets) (hold|own) {collection} [on {chain}]",
			"who (holds|owns) {collection} [on {chain}]",
			"(holder|owner) count [(of|for)] {collection} [on {chain}]",
		],
		examples: ["holders kiln folk", "how many holders does kiln folk have"],
	}),
	market("traits", {
		forms: [
			"traits {collection} [on {chain}]",
			"[(rarest|rare|best)] (traits|attributes) [(of|for|in)] {collection} [on {chain}]",
			"{collection} [(rarest|rare|best)] (traits|attributes) [on {chain}]",
			"what (traits|attributes) (does|do) {collection} have [on {chain}]",
			"trait (floors|floor) [(of|for|in)] {collection} [on {chain}]",
			"{collection} trait (floors|floor) [on {chain}]",
		],
		examples: ["traits kiln folk"],
	}),
	market("listings", {
		forms: [
			"listings {collection} [on {chain}]",
			"(listings|asks|listed) [(of|for|on|in)] {collection} [on {chain}]",
			"{collection} (listings|asks|listed) [on {chain}]",
			"how many {collection} [(are|is)] listed [on {chain}]",
			"how many listings [(of|for|on|does|do|has)] {collection} [(have|has)] [on {chain}]",
		],
		examples: ["listings kiln folk"],
	}),
	market("offers", {
		forms: [
			"offers {collection} [on {chain}]",
			"[(top|best|highest)] (offers|bids|offer|bid) [(of|for|on|in)] {collection} [on {chain}]",
			"{collection} [(top|best|highest)] (offers|bids|offer|bid) [on {chain}]",
		],
		examples: ["offers kiln folk", "best bid on kiln folk"],
	}),
	market("depth", {
		forms: [
			"depth {collection} [on {chain}]",
			"(depth|liquidity|book|orderbook) [(of|for|on|in)] {collection} [on {chain}]",
			"{collection} (depth|liquidity|book|orderbook) [on {chain}]",
			"order book [(of|for|on)] {collection} [on {chain}]",
			"{collection} order book [on {chain}]",
			"how (thin|thick|deep|liquid) is {collection} [on {chain}]",
		],
		examples: ["depth kiln folk"],
	}),
	market("lifecycle", {
		forms: [
			"lifecycle {collection} [on {chain}]",
			"(lifecycle|status|phase|stage) [(of|for)] {collection} [on {chain}]",
			"{collection} (lifecycle|status|phase|stage) [on {chain}]",
			"{collection} [still] (minting|minted|revealed) [out] [yet] [on {chain}]",
			"(has|did) {collection} (mint|minted|revealed|reveal) [out] [yet] [on {chain}]",
			"when (is|was|does|did) {collection} (mint|minting|minted|reveal) [out] [on {chain}]",
		],
		examples: ["lifecycle kiln folk", "is kiln folk minted out yet?"],
	}),
	market("summary", {
		forms: [
			"summary {collection} [on {chain}]",
			"(summary|stats|info|overview|details) [(of|for|on|about)] {collection} [on {chain}]",
			"{collection} (summary|stats|info|overview|details) [on {chain}]",
			"(what is|whats|what's|who is|who are) {collection} [on {chain}]",
			"(how is|hows|how's) {collection} [doing] [on {chain}]",
			"about {collection} [on {chain}]",
			"collection {collection} [on {chain}]",
		],
		examples: ["summary kiln folk", "how is kiln folk doing"],
	}),
	market("token", {
		slots: { token: { kind: "token" } },
		forms: [
			"token {collection} {token} [on {chain}]",
			"[(rank|rarity)] [(of|for)] {collection} {token} [(rank|rarity)] [on {chain}]",
			"how rare is {collection} {token} [on {chain}]",
			"who (owns|holds) {collection} {token} [on {chain}]",
			"token {token} (of|in|from) {collection} [on {chain}]",
			"(rank|rarity) of {token} in {collection} [on {chain}]",
		],
		examples: ["token kiln folk #12", "how rare is kiln folk #12"],
	}),
	plain("trending", {
		slots: { window: { kind: "window" }, chain: { kind: "chain" } },
		forms: [
			"trending [{window}] [on {chain}]",
			"(trending|mooning|pumping) [(collections|nfts|nft|projects|stuff)] [(in|over)] [the] [(last|past|this)] [{window}] [on {chain}]",
			"(whats|what's|what is) (trending|mooning|pumping|moving|running) [(in|over)] [the] [(last|past|this)] [{window}] [on {chain}]",
			"(moving|running) [{window}] [on {chain}]",
			"top [(collections|nfts|projects|movers|gainers)] [by volume] [(in|over)] [the] [(last|past|this)] [{window}] [on {chain}]",
			"(which|what) (collections|nfts|projects) are (trending|mooning|pumping) [(in|over)] [the] [(last|past|this)] [{window}] [on {chain}]",
			"biggest (movers|gainers) [{window}] [on {chain}]",
		],
		examples: ["trending", "whats mooning", "trending 24h on base"],
	}),
	plain("hot", {
		slots: { chain: { kind: "chain" } },
		forms: [
			"hot [on {chain}]",
			"(hot|discover|minting) [(mints|collections|nfts|now|stuff)] [on {chain}]",
			"(whats|what's|what is) (hot|minting|new) [on {chain}]",
			"new (mints|collections|nfts) [on {chain}]",
			"(which|what) (collections|nfts) are (hot|minting) [on {chain}]",
			"what (can|should) i mint [on {chain}]",
		],
		examples: ["hot", "whats minting on base"],
	}),
	plain("drops", {
		slots: { chain: { kind: "chain" } },
		forms: [
			"drops [on {chain}]",
			"(upcoming|next|new) (drops|drop) [on {chain}]",
			"(upcoming|next) mints [on {chain}]",
			"(which|what) (drops|mints) are (upcoming|next|coming) [up] [on {chain}]",
			"when is [the] next (drop|mint) [on {chain}]",
			"(whats|what's|what is) dropping [on {chain}]",
		],
		examples: ["drops", "upcoming drops on base"],
	}),
	plain("search", {
		slots: { query: { kind: "collection" } },
		forms: [
			"search {query}",
			"(search|find|lookup) [for] [collection] {query}",
			"collections (called|named|like) {query}",
		],
		examples: ["search kiln", "find kiln"],
	}),
	plain("stock", {
		slots: { asset: { kind: "asset" } },
		forms: ["quote {asset}", "(quote|stock) [(of|for)] {asset}", "stock price [(of|for)] {asset}"],
		examples: ["quote AAPL"],
	}),
	plain("holdings", {
		forms: ["holdings", "[my] (holdings|portfolio|positions|bags|bag)", "what do i (hold|own)"],
		examples: ["holdings", "my bags"],
	}),
	plain("wallets", {
		forms: ["my wallets", "[my] (wallets|wallet|addresses|address)", "which wallets do i have"],
		examples: ["my wallets"],
	}),
	plain("limits", {
		forms: ["my limits", "[my] (limits|caps)", "how much can i (spend|trade)"],
		examples: ["my limits"],
	}),
	plain("profile", {
		forms: ["my profile", "(profile|whoami)", "who am i"],
		examples: ["my profile"],
	}),
	plain("balance", {
		slots: { chain: { kind: "chain" } },
		forms: [
			"balance [on {chain}]",
			"[my] [eth] (balance|balances) [on {chain}]",
			"how much (eth|money) do i have [on {chain}]",
			"how much do i have [on {chain}]",
		],
		examples: ["balance", "how much eth do i have on base"],
	}),
	plain("intents", {
		forms: [
			"intents",
			"[my] [(open|pending|recent)] (intents|orders|actions)",
			"my (trades|transactions)",
		],
		examples: ["intents"],
	}),
	plain("intent", {
		slots: { id: { kind: "id" } },
		forms: [
			"intent {id}",
			"[(status of|status|whats with)] [intent] {id}",
			"what happened to [intent] {id}",
		],
		examples: ["intent 0190b2c4-5d6e-7f80-9a1b-2c3d4e5f6071"],
	}),
	plain("bridges", { forms: ["my bridges", "bridges"], examples: ["my bridges"] }),
	plain("snipes", {
		forms: ["my snipes", "snipes", "my (plans|snipe plans)"],
		examples: ["my snipes"],
	}),
	plain("economics", {
		forms: [
			"economics",
			"(tokenomics|burned|burns|buyback|buybacks)",
			"how much (was|has been) burned",
		],
		examples: ["economics"],
	}),
	plain("settings", { forms: ["settings", "trading settings"], examples: ["settings"] }),
	plain("chains", {
		forms: ["chains", "[(which|what)] chains [(are supported|do you (support|know))]"],
		examples: ["chains"],
	}),
	plain("help", {
		forms: [
			"help",
			"(commands|menu|start)",
			"(what|how) can (you|u) do",
			"how does this work",
			"how (do|to) [i] use this",
		],
		examples: ["help", "what can you do?"],
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

/** True for the commands of this list that move something. */
export function isStrict(command: Command): boolean {
	return command.tool.startsWith("do_");
}

type Part = { slots?: Record<string, Slot>; forms: string[]; examples: string[] };

function market(name: string, { slots, ...part }: Part): Command {
	const own: Record<string, Slot> = { collection: { kind: "collection" }, ...slots };
	return plain(name, { slots: { ...own, chain: { kind: "chain" } }, ...part });
}

function plain(name: string, { slots = {}, forms, examples }: Part): Command {
	return { name, forms, slots, tool: `read_${name}`, summary: `Answers ${name}.`, examples };
}

function moving(name: string, part: Part): Command {
	return { ...plain(name, part), tool: `do_${name}`, prepares: `prepare_${name}` };
}

function settlement(): Slot {
	return { kind: "word", of: ["ETH", "WETH", "USDG"] };
}
