import { describe, expect, test } from "bun:test";
import { keepsQualifiers, quotesAuthor } from "#agent/model/isFaithful.ts";
import { builtinChains } from "#core/chain/builtinChains.ts";
import { createChainRegistry } from "#core/chain/Chain.ts";
import type { Command, Slot } from "#core/plugin/Tool.ts";

describe("keepsQualifiers", () => {
	const KINDS = ["amount", "percent", "collection", "token", "chain", "address", "window"] as const;
	const command: Command = {
		name: "all",
		forms: [],
		slots: {
			...Object.fromEntries(KINDS.map((kind): [string, Slot] => [kind, { kind }])),
			share: { kind: "word", of: ["all", "half"] },
		},
		tool: "read_all",
		summary: "",
		examples: [],
	};
	const chains = createChainRegistry(builtinChains);
	const ALICE = `0x${"a1".repeat(20)}`;

	const keeps = (text: string, values: Record<string, string>, isStrict = false) =>
		keepsQualifiers({ command, values }, text, { chains, isStrict: () => isStrict });

	describe("[SOC-07] a restriction in the text is in the reading, or there is no reading", () => {
		const cases: [string, Record<string, string>, boolean][] = [
			["cheap kiln on base", { collection: "kiln" }, false],
			["cheap kiln on base", { collection: "kiln", chain: "base" }, true],
			["cheap kiln on the Base chain", { collection: "kiln", chain: "ethereum" }, false],
			["cheap base gods", { collection: "base gods" }, true],
			["kiln over 2 weeks", { collection: "kiln", window: "7d" }, false],
			["kiln over 2 weeks", { collection: "kiln" }, false],
			["kiln over 7 days", { collection: "kiln", window: "7d" }, true],
			["kiln in 24 hours", { collection: "kiln", window: "24h" }, true],
			["kiln this week", { collection: "kiln", window: "7d" }, true],
			["is #12 of kiln rare", { collection: "kiln" }, false],
			["is #12 of kiln rare", { collection: "kiln", token: "12" }, true],
			["is kiln 5% up", { collection: "kiln" }, false],
			["is kiln 5% up", { percent: "5", collection: "kiln" }, true],
			[`kiln or ${ALICE.toUpperCase().replace("X", "x")}`, { collection: "kiln" }, false],
			[`floor ${ALICE}`, { collection: ALICE }, true],
			["is kiln under 2 eth", { collection: "kiln" }, true],
		];
		for (const [text, values, isKept] of cases) {
			test(JSON.stringify([text, values]), () => expect(keeps(text, values)).toBe(isKept));
		}
	});

	describe("[SOC-07] a command that moves something has every number and share of the text", () => {
		const cases: [string, Record<string, string>, boolean][] = [
			["send 2 eth, or 3 if you can", { amount: "2" }, false],
			["send 2 eth", { amount: "2" }, true],
			[`send 2 eth to ${ALICE}`, { amount: "2", address: ALICE }, true],
			["sell half of it", {}, false],
			["sell half of it", { share: "half" }, true],
			["sell it", {}, true],
		];
		for (const [text, values, isKept] of cases) {
			test(JSON.stringify([text, values]), () => expect(keeps(text, values, true)).toBe(isKept));
		}
	});
});

describe("quotesAuthor", () => {
	const KINDS = ["amount", "percent", "asset", "collection", "token", "chain", "address"] as const;
	const command: Command = {
		name: "all",
		forms: [],
		slots: {
			...Object.fromEntries(KINDS.map((kind): [string, Slot] => [kind, { kind }])),
			window: { kind: "window" },
			id: { kind: "id" },
			word: { kind: "word", of: ["usdg", "eth"] },
			dollars: { kind: "amount", isDollars: true },
		},
		tool: "read_all",
		summary: "",
		examples: [],
	};

	const ALICE = `0x${"a1".repeat(20)}`;
	const MALLORY = `0x${"b2".repeat(20)}`;
	/** An address with a checksum, and one with its last letter mistyped. */
	const CHECKED = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";
	const MISTYPED = "0x70997970C51812dc3A010C7d01b50e0d17dc79C9";

	const said = (text: string, values: Record<string, string>) =>
		quotesAuthor({ command, values }, text);

	describe("a value that the author wrote", () => {
		const yes: [string, Record<string, string>][] = [
			["pls give 0.5eth to mum", { amount: "0.5" }],
			["SEND 0.5 ETH, now", { amount: "0.5", asset: "ETH", word: "eth" }],
			["what's Kiln Folk's floor?", { collection: "kiln folk" }],
			['floor of "pale foxes"', { collection: "Pale Foxes" }],
			[`send it to ${ALICE}.`, { address: ALICE }],
			[`send it to ${CHECKED}!`, { address: CHECKED.toLowerCase() }],
			[`floor of ${CHECKED}`, { collection: CHECKED.toLowerCase() }],
			["0.5eth, to mum", { amount: "0.5", word: "eth" }],
			["sell 10 percent", { percent: "10" }],
			["buy 3 $TSLA", { asset: "TSLA", amount: "3" }],
			["please buy $50 of TSLA", { asset: "TSLA", dollars: "50" }],
			["$0.5, of TSLA", { dollars: "0.5" }],
			["what is #42's rank", { token: "42" }],
			["rank of #42 please", { token: "42" }],
			["sell half, i mean 50% of it", { percent: "50" }],
			["volume on base today", { chain: "base", window: "24h" }],
			["$TSLA, buy 3", { asset: "TSLA", amount: "3" }],
			["ｆｌｏｏｒ kiln", { collection: "kiln" }],
		];
		for (const [text, values] of yes) {
			test(JSON.stringify([text, values]), () => expect(said(text, values)).toBe(true));
		}
	});

	describe("[SOC-07] a value that the author did not write", () => {
		const no: [string, Record<string, string>][] = [
			["send half an eth", { amount: "0.5" }],
			["send 5k usdg", { amount: "5" }],
			["send 5 million usdg", { amount: "5" }],
			["send 1e18 wei", { amount: "1" }],
			["send 1.50 eth", { amount: "1.5" }],
			["send 10 eth", { amount: "1" }],
			["send 10 eth", { amount: "0" }],
			["send v1.2.3", { amount: "1.2" }],
			["send .5 eth", { amount: "5" }],
			["send 1,5 eth", { amount: "5" }],
			[`from ${ALICE}`, { amount: "0" }],
			[`send 1 eth to ${ALICE}`, { address: MALLORY }],
			[`send 1 eth to ${ALICE}ff`, { address: ALICE }],
			[`send 1 eth to ${ALICE}`, { collection: ALICE.slice(0, 20) }],
			["floor of kiln", { collection: "kiln folk" }],
			["floor of kiln and pale folk", { collection: "kiln folk" }],
			["volume on arbitrum", { chain: "base" }],
			["buy tesla", { asset: "TSLA" }],
			["sell it for dollars", { word: "usdg" }],
			["cancel it", { id: "0198c1d2-7f1e-7a55-9f30-1f2d3c4b5a69" }],
			["floor", { collection: "?" }],
			["anything", { unknown: "anything" }],
			[`send it to ${MISTYPED}`, { address: MISTYPED.toLowerCase() }],
			[`floor of ${MISTYPED}`, { collection: MISTYPED.toLowerCase() }],
			["send $5", { amount: "5" }],
			["send 5 $ of eth", { amount: "5" }],
			["buy 50 of TSLA", { dollars: "50" }],
			["buy $50k of TSLA", { dollars: "50" }],
			["buy $50 k of TSLA", { dollars: "50" }],
			["buy $1,50 of TSLA", { dollars: "1" }],
			["buy $1/2 of TSLA", { dollars: "1" }],
			["buy US$50 of TSLA", { dollars: "50" }],
			["send 5 dollars of eth", { amount: "5" }],
			["send 10% of my eth", { amount: "10" }],
			["send 10 eth", { percent: "10" }],
			["send 1/2 eth", { amount: "2" }],
			["send 1/2 eth", { amount: "1" }],
			["send 3-5 eth", { amount: "5" }],
			["send 3*5 eth", { amount: "3" }],
			["send 5 weth", { word: "eth" }],
		];
		for (const [text, values] of no) {
			test(JSON.stringify([text, values]), () => expect(said(text, values)).toBe(false));
		}
	});
});
